/**
 * A pool of the library, tried out: it shows whether its workers start, and how long an empty task takes. Runs on the thread that asks,
 * and ends its workers before it returns.
 */
import type * as library from 'furcate';
import type { Platform } from './platform.js';

/** Part of the package that a trial needs. */
export type Library = Pick<typeof library, 'ForkJoinPool' | 'checkpoint'>;

/** Findings of a trial; what comes after a failure is undefined. */
export interface Trial {
  readonly parallelism: number | undefined;
  /** Number of workers that started. */
  readonly workers: number | undefined;
  readonly firstResultMs: number | undefined;
  readonly roundTripUs: number | undefined;
  /** Reason why no pool could be had, or why no worker started. */
  readonly refused: unknown;
  /** Reason why the round trip could not be measured. */
  readonly unmeasured: unknown;
}

/** More threads tell no more. */
const THREADS = 2;
const CALLS_IN_BATCH = 25;
const BATCHES = 40;
/** Calls until V8 has compiled the functions of the call. */
const WARM_UP_CALLS = 400;
/** No part of the measurement takes longer (ms). */
const MEASURE_MS = 500;

/** Settles as the promise does, or rejects after a time: a worker may never answer. */
function bounded<T>(platform: Platform, ms: number, what: string, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = platform.timer(ms, () => reject(new Error(`furcate: ${what} took longer than ${ms / 1000} s.`)));
    promise.then(resolve, reject).finally(cancel);
  });
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** The median time of a call (ms). Clocks of browsers are coarse, so that a batch of calls is measured together. */
async function roundTripMs(platform: Platform, call: () => Promise<unknown>): Promise<number> {
  const batches: number[] = [];
  const begunMs = platform.nowMs();
  for (let k = 0; k < WARM_UP_CALLS && platform.nowMs() - begunMs < MEASURE_MS; k++) await call();
  const warmMs = platform.nowMs();
  while (batches.length < BATCHES && (batches.length === 0 || platform.nowMs() - warmMs < MEASURE_MS)) {
    const fromMs = platform.nowMs();
    for (let k = 0; k < CALLS_IN_BATCH; k++) await call();
    batches.push((platform.nowMs() - fromMs) / CALLS_IN_BATCH);
  }
  return median(batches);
}

/**
 * @param load imports the library
 * @param options of the pool, instead of its defaults
 * @param limitMs how long one step may take
 */
export async function tryPool(
  platform: Platform,
  load: () => Promise<Library>,
  options: library.ForkJoinPoolOptions,
  limitMs: number,
): Promise<Trial> {
  const found: { -readonly [Key in keyof Trial]?: Trial[Key] } = {};
  let pool: library.ForkJoinPool | undefined;
  try {
    const { ForkJoinPool, checkpoint } = await bounded(platform, limitMs, 'importing the library', load());
    found.parallelism = new ForkJoinPool(options).parallelism; // starts no thread
    const workers = Math.min(found.parallelism, THREADS);
    const begunMs = platform.nowMs();
    const made = new ForkJoinPool({ ...options, parallelism: workers, name: 'furcate-doctor' });
    pool = made;
    // A task that does next to nothing. Every worker has it, so that neither a bundle nor a policy can keep a worker from it.
    const call = (): Promise<void> => made.invoke(checkpoint as library.Forkable<[], void>);
    const first = call().then(() => platform.nowMs() - begunMs);
    first.catch(() => {}); // comes after `ready`, whose failure tells why
    await bounded(platform, limitMs, 'starting a worker', made.ready());
    found.workers = workers;
    try {
      found.firstResultMs = await bounded(platform, limitMs, 'the first task', first);
      found.roundTripUs = 1000 * (await bounded(platform, limitMs, 'the round trip', roundTripMs(platform, call)));
    } catch (error) {
      found.unmeasured = error;
    }
  } catch (error) {
    found.refused = error ?? new Error('furcate: no reason was given.');
  }
  // A thread that does not end must not keep the caller waiting.
  await bounded(platform, limitMs, 'ending the workers', pool?.terminate() ?? Promise.resolve()).catch(() => {});
  return {
    parallelism: found.parallelism,
    workers: found.workers,
    firstResultMs: found.firstResultMs,
    roundTripUs: found.roundTripUs,
    refused: found.refused,
    unmeasured: found.unmeasured,
  };
}
