/** Measures task trees on one thread up to twice as many as there are cores, and what the threads do there; runs on the main thread. */
import { availableParallelism } from 'node:os';
import { ForkJoinPool, sharedArray } from 'furcate';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { checkAnswer } from '../harness/compare.js';
import { type Figure, figure } from '../harness/figure.js';
import { median } from '../harness/median.js';
import { fib, plainFib } from '../tasks/fib.mjs';
import { flatList, plainList } from '../tasks/flat.mjs';
import { plainQueens, queens } from '../tasks/queens.mjs';

const ROUNDS = 7;
/** Most threads of the sweep: where there are many cores, it doubles the number of threads from step to step. */
const MOST = 2 * availableParallelism();

/** Lengths of tasks: 500 of about 0.1 ms, ten of them ten times as long. */
const LENGTHS = sharedArray(
  Int32Array,
  Array.from({ length: 500 }, (_, k) => (k % 50 === 49 ? 1_000_000 : 100_000)),
);

interface Tree {
  readonly what: string;
  run(pool: ForkJoinPool): Promise<number>;
  readonly right: number;
}

const treesOf = (): Tree[] => [
  { what: 'fib(30)', run: (pool) => pool.invoke(fib, 30), right: plainFib(30) },
  { what: '10 queens', run: (pool) => pool.invoke(queens, 10, 0, 0, 0), right: plainQueens(10, 0, 0, 0) },
  { what: '500 tasks in a list', run: (pool) => pool.invoke(flatList, LENGTHS), right: plainList(LENGTHS) },
];

const threadsOfSweep = (): number[] => {
  const all: number[] = [];
  for (let threads = 1; threads <= MOST; threads = threads < 4 ? threads + 1 : 2 * threads) all.push(threads);
  return all;
};

const sumOf = (
  { workers }: ReturnType<ForkJoinPool['stats']>,
  key: 'stolen' | 'published' | 'busyMs' | 'idleMs',
): number => workers.reduce((sum, worker) => sum + worker[key], 0);

async function figuresOf(threads: number, trees: readonly Tree[], setup: Setup): Promise<Figure[]> {
  const { rounds, warmUps } = effort(setup, ROUNDS);
  const pool = new ForkJoinPool({ parallelism: threads });
  try {
    await pool.ready();
    const figures: Figure[] = [];
    for (const { what, run, right } of trees) {
      const times: number[] = [];
      const [steals, publications, idle] = [[], [], []] as [number[], number[], number[]];
      for (let round = -warmUps; round < rounds; round++) {
        const before = pool.stats();
        const startMs = performance.now();
        const answer = await run(pool);
        const ms = performance.now() - startMs;
        checkAnswer(what, answer, right);
        const after = pool.stats();
        if (round < 0) continue;
        times.push(ms);
        steals.push(sumOf(after, 'stolen') - sumOf(before, 'stolen'));
        publications.push(sumOf(after, 'published') - sumOf(before, 'published'));
        const busyMs = sumOf(after, 'busyMs') - sumOf(before, 'busyMs');
        idle.push(Math.max(0, 1 - busyMs / (threads * ms)));
      }
      const note = `${median(steals)} steals, ${median(publications)} publications, ${Math.round(100 * median(idle))} % idle`;
      figures.push(figure(`${what}, ${threads} ${threads === 1 ? 'thread' : 'threads'}`, times, { note }));
    }
    return figures;
  } finally {
    await pool.close();
  }
}

export const sweep: Benchmark = {
  name: 'sweep',
  says: 'what three task trees take on one thread up to twice as many as there are cores, with steals, publications and the share of the time that threads are idle.',
  notFor: 'speed-ups of real work: two of the trees do hardly more than fork.',
  async measure(setup) {
    const figures: Figure[] = [];
    const trees = treesOf();
    for (const threads of threadsOfSweep()) figures.push(...(await figuresOf(threads, trees, setup)));
    return figures;
  },
};
