/** Measures how long an empty invocation takes while the pool is busy: of high priority, and of normal priority behind a long one. */
import { type Forkable, ForkJoinPool, type Priority, sharedArray, task } from 'furcate';
import type { Benchmark } from '../harness/benchmark.js';
import { checkAnswer } from '../harness/compare.js';
import { atMost, type Figure, figure } from '../harness/figure.js';
import { quantile } from '../harness/median.js';
import { busy } from '../tasks/flat.mjs';
import { empty, flat, trees, unbalanced } from '../tasks/priorities.mjs';

const THREADS = 2;
const CALLS = 500;
const SHORT_CALLS = 25;
const EVERY_MS = 20;
const LEAF_MS = 1;

const MEDIAN_TARGET = atMost(4);
const LATE_TARGET = atMost(15);

type Load = Forkable<[words: Int32Array, amount: number], boolean>;

/** Iterations of `busy` that take a millisecond here. */
function iterationsOfLeaf(): number {
  const iterations = 1_000_000;
  busy(iterations, 1);
  const startMs = performance.now();
  busy(iterations, 1);
  return Math.round((iterations * LEAF_MS) / (performance.now() - startMs));
}

/** Times of empty invocations, one every 20 ms, while `load` keeps all workers busy. */
async function latencies(load: Load, amount: number, priority: Priority, calls: number): Promise<number[]> {
  const pool = new ForkJoinPool({ parallelism: THREADS });
  const words = sharedArray(Int32Array, 1);
  const samples: number[] = [];
  try {
    await pool.ready();
    await Promise.all([pool.invoke(empty), pool.invoke(empty)]);
    const busyUntilTold = pool.invoke(load, words, amount);
    for (let call = 0; call < calls; call++) {
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
      const startMs = performance.now();
      checkAnswer('empty', await pool.invoke(task(empty), { priority }), 1);
      samples.push(performance.now() - startMs);
    }
    Atomics.store(words, 0, 1);
    checkAnswer('load', await busyUntilTold, true);
  } finally {
    await pool.terminate();
  }
  return samples;
}

const figuresOf = (what: string, samples: readonly number[]): Figure[] => [
  figure(`${what}: median`, [quantile(samples, 0.5)], { target: MEDIAN_TARGET }),
  figure(`${what}: 99 of 100`, [quantile(samples, 0.99)], { target: LATE_TARGET }),
];

export const priorities: Benchmark = {
  name: 'priorities',
  says: `how long an empty invocation takes on ${THREADS} threads that are busy; its leaves take ${LEAF_MS} ms.`,
  notFor: 'pools that have time: see round-trip.',
  async measure({ short }) {
    const calls = short ? SHORT_CALLS : CALLS;
    const iterations = iterationsOfLeaf();
    const loads: [string, Load, number][] = [
      ['fib(39)', trees, 39],
      ['an unbalanced tree', unbalanced, iterations],
      ['a flat list', flat, iterations],
    ];
    const figures: Figure[] = [];
    for (const [name, load, amount] of loads) {
      figures.push(...figuresOf(`high priority beside ${name}`, await latencies(load, amount, 'high', calls)));
    }
    const shared = await latencies(trees, 39, 'normal', SHORT_CALLS);
    figures.push(figure('normal priority beside fib(39)', shared));
    return figures;
  },
};
