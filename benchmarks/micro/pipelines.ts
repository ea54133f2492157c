/** Measures pipelines, compared with promise code that a program would write by hand for the same pool; runs on the main thread and in a pool. */
import { ForkJoinPool } from 'furcate';
import { pipeline } from 'furcate/flows';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { candidate, compare, of } from '../harness/compare.js';
import { atMost, beside, type Figure, figure } from '../harness/figure.js';
import type { Crunchable } from '../tasks/crunch.mjs';
import { crunchTask } from '../tasks/crunch-task.mjs';
import { roundsPerUs } from './crunch-rate.js';

const THREADS = 2;
const IN_FLIGHT = 32;

/** How long a call takes (us), how many items there are, rounds, and the target, if there is one: share of the time of the code by hand. */
const CASES = [
  { us: 10, items: 20_000, rounds: 7, target: undefined },
  { us: 1_000, items: 1_000, rounds: 15, target: atMost(1.05) },
] as const;

/** The items, made one by one. */
function* itemsOf(count: number, rounds: number): Generator<Crunchable> {
  for (let id = 0; id < count; id++) yield { id, name: `item ${id}`, rounds };
}

/** A window of calls, in order: what a pipeline of one stage does, without its failures and ends. */
async function byHand(pool: ForkJoinPool, items: Iterable<Crunchable>): Promise<number> {
  const calls: Promise<{ readonly odd: boolean }>[] = [];
  let odd = 0;
  const take = async (): Promise<void> => {
    if ((await calls.shift())?.odd === true) odd++;
  };
  for (const item of items) {
    if (calls.length === IN_FLIGHT) await take();
    calls.push(pool.invoke(crunchTask, item));
  }
  while (calls.length > 0) await take();
  return odd;
}

async function byPipeline(pool: ForkJoinPool, items: Iterable<Crunchable>): Promise<number> {
  let odd = 0;
  for await (const result of pipeline(items, { pool, inFlight: IN_FLIGHT }).map(crunchTask)) if (result.odd) odd++;
  return odd;
}

async function measureCase(
  { us, items, rounds, target }: (typeof CASES)[number],
  pool: ForkJoinPool,
  setup: Setup,
  perUs: number,
): Promise<Figure[]> {
  const count = setup.short ? items / 10 : items;
  const source = (): Iterable<Crunchable> => itemsOf(count, Math.round(us * perUs));
  const expected = await byHand(pool, source());
  const [own, other] = ['a pipeline', 'promises by hand'];
  const samples = await compare(
    [
      candidate(own, expected, () => byPipeline(pool, source())),
      candidate(other, expected, () => byHand(pool, source())),
    ],
    effort(setup, rounds),
  );
  const what = (name: string): string => `${name}, ${count} items of ${us} us`;
  return [
    figure(what(own), of(samples, own), {
      comparisons: [beside(other, of(samples, own), of(samples, other), target)],
    }),
    figure(what(other), of(samples, other)),
  ];
}

export const pipelines: Benchmark = {
  name: 'pipelines',
  says: `how long a pipeline of one stage takes on ${THREADS} threads, beside a window of ${IN_FLIGHT} invocations in the same pool.`,
  notFor: 'several stages, and items that are large.',
  async measure(setup) {
    const pool = new ForkJoinPool({ parallelism: THREADS });
    try {
      await pool.ready();
      const perUs = roundsPerUs();
      const figures: Figure[] = [];
      for (const one of CASES) figures.push(...(await measureCase(one, pool, setup, perUs)));
      return figures;
    } finally {
      await pool.close();
    }
  },
};
