/**
 * How an algorithm gets to run: as a job whose root is handed to a pool, or forked on the worker that calls.
 */

import { dependenciesOf } from '../call/code-dependencies.js';
import { closeJob, type JobKind, progressOf, startJob, watchProgress } from '../call/job.js';
import { guardMainModule, stallMainModule } from '../code/main-module.js';
import { ownArena } from '../memory/arena.js';
import { host } from '../platform/host.js';
import { CallTask } from '../task/call-task.js';
import { type Forkable, indexOf, runCall } from '../task/function-task.js';
import { isComputing } from '../worker/scheduler.js';
import { arenaOfThread, thread } from '../worker/worker-slot.js';
import type { AbortSignalLike } from './abort-signal.js';
import { ForkJoinPool, isPool } from './fork-join-pool.js';
import { abortError } from './invocation.js';

/** What a call may say about how it runs. */
export interface CallOptions {
  /** The pool to run in; the common pool by default. */
  readonly pool?: ForkJoinPool;
  /** Cancels the call: its promise rejects with an `AbortError` once nothing of it runs any more. */
  readonly signal?: AbortSignalLike;
  /** Cancels the call when it takes longer, in milliseconds. Not for Sync forms. */
  readonly timeoutMs?: number;
  /**
   * How long the call may go on once it was cancelled, in milliseconds; then the pool's workers are ended and replaced, as
   * `pool.invoke` does. Default: the pool's `graceMs`. Not for Sync forms.
   */
  readonly graceMs?: number;
  /** Called now and then, and at the end, with what is done. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** A call that was admitted. */
export interface AdmittedCall extends CallOptions {
  /** When it began, by `performance.now()`; for calls with a time-out. */
  readonly startedMs?: number;
}

/** `parallelFor` returns a promise, `parallelForSync` the result itself. */
export type Form = 'promise' | 'sync';

type Root<R> = Forkable<[job: number, lo: number, hi: number], R>;

/** How often progress is reported (milliseconds). */
const PROGRESS_MS = 50;

/** By brand: another copy of the library may have made it. */
export const isForkJoinPool = isPool;

const poolOf = (pool: ForkJoinPool | undefined): ForkJoinPool => pool ?? ForkJoinPool.commonPool();

/** Threads that a call will have: inside a task those of the current pool. */
export function parallelismOf(pool?: ForkJoinPool): number {
  if (isComputing()) return thread.pool?.parallelism ?? 1;
  return poolOf(pool).parallelism;
}

/** Whether a call can always be ended: then the caller's thread, where nothing can end it, must not run the user's code. */
export const canBeEnded = (call: CallOptions, form: Form): boolean =>
  form === 'promise' && (call.graceMs ?? poolOf(call.pool).graceMs) !== Number.POSITIVE_INFINITY;

/**
 * Refuses a call that cannot run here, before anything starts.
 *
 * @throws Error for the promise form inside a task, another pool inside a task, or the Sync form where nothing may block;
 *   CancellationError for a signal that is aborted already
 */
export function admit(call: CallOptions, name: string, form: Form): void {
  if (isComputing()) {
    if (form === 'promise') {
      throw new Error(
        `furcate: ${name}() inside a task: a task cannot await. Use ${name}Sync(), which forks on this worker.`,
      );
    }
    if (call.pool !== undefined && call.pool !== thread.pool) {
      throw new Error(`furcate: ${name}() inside a task runs in the task's own pool: leave out options.pool.`);
    }
  } else {
    if (form === 'sync') guardMainModule(`${name}()`);
    if (form === 'sync' && !host().mayBlock()) {
      throw new Error(
        `furcate: ${name}() on a thread that must not block. Use await ${name.replace(/Sync$/, '')}() here.`,
      );
    }
  }
  if (call.signal?.aborted === true) throw abortError(call.signal);
}

/**
 * For the promise forms, first of all: a main module that a worker imports for its tasks gets a promise that never settles.
 */
export const stalled = (name: string): Promise<never> | undefined =>
  isComputing() ? undefined : stallMainModule(`${name}()`);

/** Every code that a specification names: shipped functions, and those in shipped contexts. */
function codesOf(spec: object): number[] {
  const all: number[] = [];
  for (const value of Object.values(spec)) {
    if (typeof value !== 'object' || value === null) continue;
    const { code, codes } = value as { code?: unknown; codes?: unknown };
    if (typeof code === 'number') all.push(code);
    else if (Array.isArray(codes)) all.push(...(codes as number[]));
  }
  return all;
}

/**
 * Runs a job on a pool; the promise settles once nothing of it runs any more.
 *
 * @param sharedWords words that the tasks of the job share: `jobWords`
 */
export async function runJob<Spec extends object, State, R>(
  call: AdmittedCall,
  total: number,
  kind: JobKind<Spec, State>,
  spec: Spec,
  root: Root<R>,
  lo: number,
  hi: number,
  sharedWords = 0,
): Promise<R> {
  const pool = poolOf(call.pool);
  pool.checkOpen(); // before a job is made
  const job = startJob(kind, spec, sharedWords, ownArena);
  const { onProgress } = call;
  let reported = 0;
  const report = (): void => {
    const done = Math.min(total, progressOf(job));
    if (done <= reported) return;
    reported = done;
    onProgress?.(done, total);
  };
  const timer = onProgress === undefined ? undefined : setInterval(report, PROGRESS_MS);
  try {
    const task = new CallTask<R>(indexOf(root) as number, [job, lo, hi]);
    const result = await pool.submit(task, call, dependenciesOf(codesOf(spec), 0));
    if (reported < total) onProgress?.(total, total);
    return result;
  } finally {
    clearInterval(timer);
    closeJob(job, ownArena);
  }
}

/** Runs a job and returns its result: inside a task on the worker that calls, else on the caller and its workers. */
export function runJobSync<Spec extends object, State, R>(
  call: CallOptions,
  total: number,
  kind: JobKind<Spec, State>,
  spec: Spec,
  root: Root<R>,
  lo: number,
  hi: number,
  sharedWords = 0,
): R {
  const index = indexOf(root) as number;
  const nested = isComputing();
  const pool = nested ? undefined : poolOf(call.pool);
  pool?.checkOpen();
  const arena = arenaOfThread();
  const job = startJob(kind, spec, sharedWords, arena);
  const { onProgress } = call;
  let reported = 0;
  if (onProgress !== undefined) {
    watchProgress(job, PROGRESS_MS, (done) => {
      if (done <= reported) return;
      reported = Math.min(total, done);
      onProgress(reported, total);
    });
  }
  const outer = thread.dependencies;
  const body = (): R => {
    thread.dependencies = dependenciesOf(codesOf(spec), outer);
    thread.own?.deferFrees();
    return runCall(index, [job, lo, hi]) as R;
  };
  try {
    const result = pool === undefined ? body() : pool.computeHere(root.name, body);
    if (reported < total) onProgress?.(total, total);
    return result;
  } finally {
    thread.dependencies = outer;
    closeJob(job, arena);
  }
}
