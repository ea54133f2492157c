/** Measures what it costs that two threads write to neighbouring elements, and what the cures gain; on two workers. */
import { ForkJoinPool, sharedArray } from 'furcate';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { beside, type Figure, figure } from '../harness/figure.js';
import { countAtomically, countLocally, countPlainly } from '../tasks/counters.mjs';

const ROUNDS = 15;
/** Elements between the two counters: they share a cache line, or are two lines apart. */
const NEAR = 1;
const FAR = 32;

/** How often each way counts, so that it takes some tenths of a second. */
const WAYS = {
  'Atomics.add': { count: countAtomically, times: 5_000_000 },
  'counters[at]++': { count: countPlainly, times: 100_000_000 },
  'a variable, written once': { count: countLocally, times: 100_000_000 },
} as const;

async function measure(setup: Setup): Promise<Figure[]> {
  const pool = new ForkJoinPool({ parallelism: 2 });
  try {
    await pool.ready();
    const counters = sharedArray(Int32Array, 64);
    const meeting = sharedArray(Int32Array, 1);
    const { rounds, warmUps } = effort(setup, ROUNDS, 2);
    const took = new Map<string, number[]>();
    for (let round = -warmUps; round < rounds; round++) {
      for (const [name, { count, times }] of Object.entries(WAYS)) {
        for (const distance of round % 2 === 0 ? [NEAR, FAR] : [FAR, NEAR]) {
          counters.fill(0);
          const ms = await pool.invoke(count, counters, meeting, distance, times);
          if (counters[0] !== times || counters[distance] !== times) throw new Error(`${name} has lost counts`);
          const key = `${name} ${distance}`;
          if (round >= 0) took.set(key, [...(took.get(key) ?? []), ms]);
        }
      }
    }
    return Object.entries(WAYS).flatMap(([name, { times }]) => {
      const [near, far] = [NEAR, FAR].map((distance) => took.get(`${name} ${distance}`) as number[]);
      const what = `${times.toLocaleString('en-US')} times ${name}`;
      return [
        figure(`${what}, side by side`, near, { comparisons: [beside('128 bytes apart', near, far)] }),
        figure(`${what}, 128 bytes apart`, far),
      ];
    });
  } finally {
    await pool.close();
  }
}

export const falseSharing: Benchmark = {
  name: 'false-sharing',
  says: 'what it costs that two threads write to neighbouring elements of an array.',
  notFor: 'machines with several sockets, where a line travels farther.',
  measure,
};
