/** Measures what asynchronous tasks cost: a fork and join that does not wait, and ten thousand tasks that wait at once. */
import { ForkJoinPool, task } from 'furcate';
import { type Benchmark, effort } from '../harness/benchmark.js';
import { checkAnswer, type Effort } from '../harness/compare.js';
import { atMost, type Figure, figure } from '../harness/figure.js';
import { busy } from '../tasks/flat.mjs';
import { blocks, computes, pairs, reporters, sleepers, timers, waitingMemory } from '../tasks/waiting.mjs';

const THREADS = 2;
const ROUNDS = 25;
/** Calls before the measured ones: V8 compiles in them, and the heap grows. */
const WARM_UPS = 8;
const PAIRS = 100_000;
const SLEEPERS = 10_000;
const SLEEP_MS = 10;
const REPORTS = 100_000;

const PAIR_TARGET = atMost(0.9);
const SLEEPERS_TARGET = atMost(60);
const REPORTS_TARGET = atMost(1000);
const MEMORY_TARGET = atMost(2);
const LATENESS_TARGET = atMost(2);
const TIMERS = 200;
const BLOCK_MS = 300;
/** About 50 ms. */
const COMPUTATION = 50_000_000;
const SECTIONS_TARGET = atMost(100);
/** About a millisecond. */
const STRETCH = 1_000_000;

async function pairFigure(
  pool: ForkJoinPool,
  what: string,
  { rounds, warmUps }: Effort,
  isAsync: boolean,
): Promise<Figure> {
  const samples: number[] = [];
  for (let round = -warmUps; round < rounds; round++) {
    const [sum, pairUs] = await pool.invoke(pairs, PAIRS, isAsync);
    checkAnswer(what, sum, PAIRS);
    if (round >= 0) samples.push(pairUs);
  }
  return figure(what, samples, { unit: 'us', target: PAIR_TARGET });
}

async function sleepersFigure(pool: ForkJoinPool, { rounds, warmUps }: Effort): Promise<Figure> {
  const what = `${SLEEPERS} tasks that each wait for ${SLEEP_MS} ms`;
  const samples: number[] = [];
  for (let round = -warmUps; round < rounds; round++) {
    const startMs = performance.now();
    checkAnswer(what, await pool.invoke(sleepers, SLEEPERS, SLEEP_MS), SLEEPERS);
    if (round >= 0) samples.push(performance.now() - startMs);
  }
  return figure(what, samples, { target: SLEEPERS_TARGET });
}

/** The time of a task that computes while both workers are blocked. */
async function sectionsFigure(pool: ForkJoinPool, { rounds, warmUps }: Effort, inSection: boolean): Promise<Figure> {
  const what = `50 ms of work beside two tasks that block for ${BLOCK_MS} ms${inSection ? ' in sections' : ''}`;
  const samples: number[] = [];
  const answer = busy(COMPUTATION, 7);
  for (let round = -Math.min(warmUps, 2); round < Math.min(rounds, 9); round++) {
    const blocked = Array.from({ length: THREADS }, () => pool.invoke(blocks, BLOCK_MS, inSection));
    const startMs = performance.now();
    checkAnswer(what, await pool.invoke(computes, COMPUTATION, 7), answer);
    if (round >= 0) samples.push(performance.now() - startMs);
    for (const ms of await Promise.all(blocked)) checkAnswer(what, ms, BLOCK_MS);
  }
  return figure(what, samples, inSection ? { target: SECTIONS_TARGET } : {});
}

/** Kilobytes on the heap of one worker. */
async function memoryFigure({ rounds }: Effort): Promise<Figure> {
  const what = 'memory of a task that waits';
  const pool = new ForkJoinPool({ parallelism: 1 });
  const samples: number[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const [count, bytes] = await pool.invoke(waitingMemory, SLEEPERS);
      checkAnswer(what, count, SLEEPERS);
      samples.push(bytes / 1000);
    }
  } finally {
    await pool.close();
  }
  return figure(what, samples, { unit: 'kB', target: MEMORY_TARGET });
}

/** By how much the latest of the timers is later than the longest synchronous stretch. */
async function latenessFigure(pool: ForkJoinPool, { rounds }: Effort): Promise<Figure> {
  const what = `${TIMERS} timers among tasks that compute: the latest, less the longest stretch`;
  const samples: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const [lateMs, stretchMs] = await pool.invoke(timers, TIMERS, STRETCH);
    checkAnswer(what, lateMs.length + stretchMs.length, 3 * TIMERS);
    samples.push(Math.max(...lateMs) - Math.max(...stretchMs));
  }
  return figure(what, samples, { target: LATENESS_TARGET });
}

async function reportsFigure(pool: ForkJoinPool, { rounds, warmUps }: Effort): Promise<Figure> {
  const what = `${REPORTS} reports of two tasks`;
  const samples: number[] = [];
  for (let round = -warmUps; round < rounds; round++) {
    let heard = 0;
    const onReport = (): void => {
      heard++;
    };
    const startMs = performance.now();
    await pool.invoke(task(reporters, REPORTS), { onReport });
    checkAnswer(what, heard, REPORTS);
    if (round >= 0) samples.push(performance.now() - startMs);
  }
  return figure(what, samples, { target: REPORTS_TARGET });
}

export const waiting: Benchmark = {
  name: 'waiting',
  says: `what asynchronous tasks cost on ${THREADS} threads: forks and joins that do not wait, and many tasks that wait at once.`,
  notFor: 'programs whose tasks compute between two waits.',
  async measure(setup) {
    const pool = new ForkJoinPool({ parallelism: THREADS });
    try {
      await pool.ready();
      const all = effort(setup, ROUNDS, WARM_UPS);
      return [
        await pairFigure(pool, 'fork and join of a synchronous task', all, false),
        await pairFigure(pool, 'fork and join of an asynchronous task', all, true),
        await sleepersFigure(pool, all),
        await reportsFigure(pool, all),
        await memoryFigure(all),
        await sectionsFigure(pool, all, false),
        await sectionsFigure(pool, all, true),
        await latenessFigure(pool, all),
      ];
    } finally {
      await pool.close();
    }
  },
};
