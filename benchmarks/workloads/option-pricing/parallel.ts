/** A reduction over the numbers of the walks, each of which has a stream of random numbers. */
import { forkable, parallelReduceRange, type RandomStreams, randomStreams } from 'furcate';
import type { Ways } from '../workload.js';
import { SEED } from './config.js';
import { priceOf, worthOf } from './sequential.js';

const worth = forkable(import.meta.url, 'worth', (walk: number, { random }: { random: RandomStreams }): number =>
  worthOf(random.stream(walk)),
);

export const ways: Ways<number, number> = {
  async ''(walks, pool) {
    const context = { random: randomStreams(SEED) };
    return priceOf(walks, await parallelReduceRange(walks, 'sum', { map: worth, context, pool }));
  },
};
