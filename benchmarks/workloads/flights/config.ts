/** Questions about flights: how delays are distributed, and how long flights of each distance are late. */
import { randomNumbers } from '../random.js';
import type { Config } from '../workload.js';

/** Bins of a minute each. As in histograms of Furcate, `max` itself counts in the last bin. */
export const DELAYS = { min: -60, max: 240 };

export interface Flights {
  /** In minutes. */
  readonly delays: Int16Array;
  /** In miles. */
  readonly distances: Uint16Array;
}

export interface Answers {
  readonly histogram: ArrayLike<number>;
  /** The distances that occur, and the mean delay of each. */
  readonly keys: ArrayLike<number>;
  readonly means: ArrayLike<number>;
}

export const config: Config<number, Flights, Answers> = {
  what: 'a histogram of delays and their means by distance; checked by totals of integers',
  sizes: { '10M flights': 10_000_000 },
  small: 200_000,
  open(n, make) {
    const random = randomNumbers(6);
    const delays = make(Int16Array, n);
    const distances = make(Uint16Array, n);
    for (let i = 0; i < n; i++) {
      distances[i] = 100 + Math.floor(2400 * random() ** 2);
      delays[i] = Math.floor(-20 * Math.log(1 - random())) - 15 + (distances[i] % 3);
    }
    return { delays, distances };
  },
  answer(_, { histogram, keys, means }) {
    const weighted = Array.from(histogram).reduce((sum, count, bin) => sum + count * (bin + DELAYS.min), 0);
    const ofKeys = Array.from(keys).reduce((sum, key, i) => sum + key * (1 + Math.round(1e6 * means[i])), 0);
    return `${weighted} ${ofKeys}`;
  },
  expected({ delays, distances }) {
    const sums = new Map<number, { sum: number; count: number }>();
    let weighted = 0;
    distances.forEach((distance, i) => {
      const of = sums.get(distance) ?? { sum: 0, count: 0 };
      of.sum += delays[i];
      of.count++;
      sums.set(distance, of);
      if (delays[i] <= DELAYS.max) weighted += Math.min(delays[i], DELAYS.max - 1);
    });
    let ofKeys = 0;
    for (const [key, { sum, count }] of sums) ofKeys += key * (1 + Math.round((1e6 * sum) / count));
    return `${weighted} ${ofKeys}`;
  },
};
