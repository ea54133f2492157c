/**
 * The process of one lane: it runs fork-join trees on request, in a pool or as plain recursion. A pool runs the slow paths before
 * anything is measured.
 */
import { CancellationError, ForkJoinPool, type ForkJoinTask } from 'furcate';
import { serveLane, type Work } from '../harness/serve-lane.js';
import { Fib, fib, plainFib } from '../tasks/fib.mjs';
import { plainQueens, Queens, queens } from '../tasks/queens.mjs';
import { SlowPaths, slowPathsAnswer } from '../tasks/slow-paths.mjs';

export interface TaskLane {
  /** How trees run: on workers, on the caller and its workers, or without tasks. */
  readonly via: 'invoke' | 'invokeSync' | 'plain';
  readonly parallelism: number;
  /** Whether twenty more task classes are in use. */
  readonly manyClasses: boolean;
}

const SLOW_DEPTH = 4;
const SLOW_ROUNDS = 20;
const LONG_FIB = 40;
const ABORT_AFTER_MS = 5;

type Run = (task: ForkJoinTask<number>) => number | Promise<number>;

serveLane<TaskLane>(async ({ via, parallelism, manyClasses }) => {
  if (via === 'plain') {
    return {
      fib: (n) => plainFib(n as number),
      queens: (n) => plainQueens(n as number, 0, 0, 0),
    };
  }
  const pool = new ForkJoinPool({ parallelism });
  const run: Run = via === 'invoke' ? (task) => pool.invoke(task) : (task) => pool.invokeSync(task);
  if (via === 'invoke') await pool.ready();

  await takeSlowPaths(run);
  if (via === 'invoke') await abortOne(pool);
  if (via === 'invokeSync') await publishHere();
  const works: Record<string, Work> = {
    'class fib': (n) => run(new Fib(n as number)),
    'function fib': (n) => (via === 'invoke' ? pool.invoke(fib, n as number) : pool.invokeSync(fib, n as number)),
    'class queens': (n) => run(new Queens(n as number, 0, 0, 0)),
    'function queens': (n) =>
      via === 'invoke' ? pool.invoke(queens, n as number, 0, 0, 0) : pool.invokeSync(queens, n as number, 0, 0, 0),
  };
  return manyClasses ? { ...works, ...(await useManyClasses(run, parallelism)) } : works;
});

/** Runs the slow paths in all workers: there are more roots than workers, and each has subtrees to steal. */
async function takeSlowPaths(run: Run): Promise<void> {
  const expected = slowPathsAnswer(SLOW_DEPTH);
  for (let round = 0; round < SLOW_ROUNDS; round++) {
    const answer = await run(new SlowPaths(SLOW_DEPTH, 'x'));
    if (answer !== expected) throw new Error(`The slow paths answered ${answer}; the right answer is ${expected}.`);
  }
}

/** Aborts a tree, which unwinds through all of its joins. */
async function abortOne(pool: ForkJoinPool): Promise<void> {
  const signal = AbortSignal.timeout(ABORT_AFTER_MS);
  await pool.invoke(new Fib(LONG_FIB), { signal }).then(
    () => Promise.reject(new Error('The invocation ended before it was aborted.')),
    (error: unknown) => {
      if (!CancellationError.is(error)) throw error;
    },
  );
}

/** Makes this thread, which computes under `invokeSync`, publish tasks to a thief before the measurement, even if P=1. */
async function publishHere(): Promise<void> {
  const pool = new ForkJoinPool({ parallelism: 2 });
  await pool.ready();
  await takeSlowPaths((task) => pool.invokeSync(task));
  for (let n = 24; pool.stats().published < 100; n++) {
    pool.invokeSync(new Fib(n));
    pool.invokeSync(fib, n);
  }
  await pool.close();
}

/** Runs all twenty classes of both families in every worker before one class is measured. */
async function useManyClasses(run: Run, parallelism: number): Promise<Record<string, Work>> {
  const { UNIFORM, MIXED } = await import('../tasks/fib-classes.mjs');
  for (let round = 0; round < 2 * parallelism; round++) {
    for (const Class of [...UNIFORM, ...MIXED]) await run(new Class(18));
  }
  return {
    'uniform fib': (n) => run(new UNIFORM[7](n as number)),
    'mixed fib': (n) => run(new MIXED[7](n as number)),
  };
}
