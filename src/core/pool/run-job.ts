/** Runs a call of an algorithm: as a job whose root goes to a pool, or on the worker that calls. */

import { forgetOldKernels } from '../code/kernel.js';
import { guardMainModule, isLoading, stallMainModule } from '../code/main-module.js';
import type { ShippedFunction } from '../code/resolver.js';
import { dependenciesOf } from '../job/code-dependencies.js';
import {
  addProgress,
  closeJob,
  forgetEndedJobs,
  type JobKind,
  progressOf,
  startJob,
  watchProgress,
} from '../job/job.js';
import { ALIVE, DOOMED, fateOf, freedError } from '../memory/shared-array.js';
import { host } from '../platform/host.js';
import type { AbortSignalLike } from '../task/abort-signal.js';
import { innerScopeOf, RUN_JOB, type Scope } from '../task/async-task.js';
import { CallTask } from '../task/call-task.js';
import { runTask } from '../task/fork-join-task.js';
import { asyncIndexOf, type Forkable, indexOf } from '../task/function-task.js';
import { disown } from '../task/slow-paths.js';
import { PROGRESS_MS } from '../tuning.js';
import { install } from '../worker/extension.js';
import { isComputing, isInTask } from '../worker/scheduler.js';
import { arenaOfThread, thread } from '../worker/worker-slot.js';
import type { Callee, Form } from './callee.js';
import { chunkElementsOf, coreOf, type Executor } from './executor.js';
import { ForkJoinPool } from './fork-join-pool.js';
import { checkCall, type InvokeOptions, type SubmitOptions } from './options.js';
import { SequentialExecutor } from './sequential-executor.js';
import { abortError, CallSignal } from './signal.js';

/** Options that say how a call runs. */
export interface CallOptions extends Omit<InvokeOptions, 'onReport' | 'limit' | 'transfer'> {
  /** The pool to run in; the common pool by default. */
  readonly pool?: Executor | undefined;
  /** In an asynchronous task: its scope. The call runs in the task's pool, as a fork of the task. */
  readonly scope?: Scope | undefined;
  /**
   * Called now and then, and at the end, with the number of elements that are done. If it throws, the call is cancelled, and fails with what it
   * threw.
   */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** A call that may run. */
export interface AdmittedCall extends CallOptions, SubmitOptions {
  readonly onReport?: undefined;
  readonly limit?: undefined;
  /** Number of threads it has: inside a task those of the current pool. */
  readonly parallelism: number;
  /**
   * True if the user's code must run in a task, and not by itself on the caller's thread. Nothing could end it there, if that must be
   * possible, and it could not read what the call carries.
   */
  readonly onlyInTasks: boolean;
  /** Number of elements that an algorithm without a `threshold` does at once; 0 if the clock decides. */
  readonly chunkElements?: number;
}

/** A call with work for a pool. */
export interface PoolJob<R> {
  readonly call: AdmittedCall;
  /** Number of elements, for `onProgress`. */
  readonly total: number;
  readonly kind: JobKind<object, unknown>;
  readonly spec: object;
  /** Runs the job from a unit on. In the promise form it may be an asynchronous function. */
  readonly root: Forkable<[job: number, from: number], R>;
  readonly from: number;
  /** As `root`, step by step, for a pool whose only thread is the one that calls (`ExecutorCore.inTurns`). */
  steps?(job: number, from: number): Iterator<unknown, R>;
  /** Number of words that the tasks of the job share (`jobWords`). */
  readonly sharedWords: number;
}

install({
  idle() {
    forgetEndedJobs();
    forgetOldKernels();
  },
});

/** Executor of a call that names no pool. */
export const poolOf = (pool: Executor | undefined): Executor => pool ?? ForkJoinPool.commonPool();

/**
 * Checks how a call is to run, and refuses one that cannot run here, before anything starts.
 *
 * @param given its options; those that `InvokeOptions` has may be of any type
 * @throws TypeError, RangeError for options; Error for the promise form inside a task, another pool inside a task, or the Sync form where
 *   nothing may block; CancellationError for a signal that is aborted already
 */
export function admit(given: CallOptions & Pick<InvokeOptions, 'limit'>, callee: Callee): AdmittedCall {
  checkCall(given, callee);
  checkPlace(given, callee);
  const { pool, scope, signal, timeoutMs, graceMs, priority, carry, onProgress } = given;
  if (signal?.aborted === true) throw abortError(signal);
  const startedMs = timeoutMs === undefined ? undefined : (larger?.startedMs ?? performance.now());
  const inTask = isComputing() || scope !== undefined;
  const place = inTask ? thread.pool : poolOf(pool);
  const parallelism = place?.parallelism ?? 1;
  const chunkElements = chunkElementsOf(place);
  const grace = (): number => graceMs ?? coreOf(poolOf(pool)).settings.graceMs;
  const onlyInTasks =
    carry !== undefined ||
    chunkElements > 0 ||
    (callee.form === 'promise' && scope === undefined && grace() !== Number.POSITIVE_INFINITY);
  const called = callee.name;
  return {
    pool,
    scope,
    signal,
    timeoutMs,
    graceMs,
    priority,
    carry,
    onProgress,
    startedMs,
    held: larger?.held,
    parallelism,
    onlyInTasks,
    chunkElements,
    called,
  };
}

/** The larger call that what begins now is a part of: it holds the pool, and its time counts. */
let larger: Pick<SubmitOptions, 'held' | 'startedMs'> | undefined;

/** Begins a call as a part of a larger one: what it does until its first await is admitted as such. */
export function beginWithin<R>(call: NonNullable<typeof larger>, act: () => Promise<R>): Promise<R> {
  const outer = larger;
  larger = call;
  try {
    return act();
  } finally {
    larger = outer;
  }
}

function checkPlace(call: CallOptions, callee: Callee): void {
  const { name, form, names } = callee;
  if (isComputing()) {
    if (form === 'promise') {
      throw new Error(
        `furcate: ${name}() inside a task: a task cannot await. Use ${names.sync}(), which forks on this worker.`,
      );
    }
    if (call.scope !== undefined)
      throw new TypeError(
        `furcate: ${name}: options.scope is for asynchronous tasks. Leave it out in a synchronous one.`,
      );
    if (call.pool !== undefined && call.pool !== thread.pool) {
      throw new Error(`furcate: ${name}() inside a task runs in the task's own pool: leave out options.pool.`);
    }
  } else if (isInTask() || call.scope !== undefined) admitInScope(call, callee);
  else {
    if (form === 'sync') guardMainModule(`${name}()`);
    // A sequential executor only computes; a pool has to wait for its workers.
    if (form === 'sync' && !host().mayBlock() && !(call.pool instanceof SequentialExecutor)) {
      throw new Error(`furcate: ${name}() on a thread that must not block. Use await ${names.promise}() here.`);
    }
  }
}

/** @throws Error without the scope of the asynchronous task, and in the Sync form; TypeError for what is no scope of a task that runs */
function admitInScope(call: CallOptions, { name, form, names }: Callee): void {
  if (call.scope === undefined || form === 'sync')
    throw new Error(
      `furcate: ${name}() in an asynchronous task. Use await ${names.promise}() with the option { scope }.`,
    );
  if (innerScopeOf(call.scope) === undefined)
    throw new TypeError(`furcate: ${name}: options.scope must be the scope of an asynchronous task that runs.`);
  for (const option of ['pool', 'signal', 'timeoutMs', 'graceMs', 'priority', 'carry'] as const) {
    if (call[option] === undefined) continue;
    throw new TypeError(
      `furcate: ${name}: options.${option} is of no use beside options.scope: the call belongs to the task's invocation.`,
    );
  }
}

/**
 * A promise form checks this first: a main module that a worker imports for its tasks gets a promise that never settles.
 *
 * @param given its options, or its arguments, whose last ones may be a list: a call with a scope belongs to a task that goes on while its worker imports a module
 */
export const stalled = (name: string, given?: unknown): Promise<never> | undefined =>
  isInTask() || (isLoading() && hasScope(given)) ? undefined : stallMainModule(`${name}()`);

/** The options of a call: what it was given, or the last of its arguments, which may be a list. @throws TypeError for revoked proxies */
export function lastOptions(given: unknown): unknown {
  let options = given;
  while (Array.isArray(options)) options = options[options.length - 1];
  return options;
}

function hasScope(given: unknown): boolean {
  try {
    return innerScopeOf(Object(lastOptions(given)).scope) !== undefined;
  } catch {
    return false; // the call itself tells of options that throw
  }
}

/**
 * Returns the promise of a promise form. In a scope it is as the promise of a join: a task may fail before it awaits its calls, and their
 * rejections must not end the worker.
 *
 * @param given as of `stalled`
 */
export function promised<R>(result: Promise<R>, given: unknown): Promise<R> {
  if (hasScope(given)) disown(result);
  return result;
}

/** Starts the workers of the pool that a call is going to need, if it has none. Inside a task they run already. */
export function startEarly({ pool, scope }: CallOptions, form: Form): void {
  if (!isInTask() && scope === undefined) coreOf(poolOf(pool)).startEarly(form === 'sync');
}

/** The ids of all code that a specification names: shipped functions, and functions in shipped contexts. */
export function codesOf(spec: object): number[] {
  const all: number[] = [];
  for (const value of Object.values(spec)) {
    if (typeof value !== 'object' || value === null) continue;
    const { code, codes, captured } = value as Partial<ShippedFunction> & { codes?: unknown };
    if (typeof code === 'number') all.push(code, ...(captured?.context.codes ?? []));
    else if (Array.isArray(codes)) all.push(...(codes as number[]));
  }
  return all;
}

/** A task of a job has finished elements. */
export function progress(job: number, elements: number): void {
  addProgress(job, elements);
  thread.own?.note('elements', elements, job);
}

/** Reports growing numbers of finished elements to `onProgress`. */
export function reporter({
  call: { onProgress },
  total,
}: Pick<PoolJob<unknown>, 'call' | 'total'>): (done: number) => void {
  let reported = 0;
  return (done) => {
    if (Math.min(done, total) <= reported) return;
    reported = Math.min(done, total);
    onProgress?.(reported, total);
  };
}

/**
 * Reports the progress of a job by a timer.
 *
 * @returns the signal that the job needs in the place of the user's: it aborts, too, if `onProgress` throws; and a function that ends all that
 */
function reportNowAndThen(
  user: AbortSignalLike | undefined,
  report: () => void,
): { readonly signal: CallSignal; readonly stop: () => void } {
  const signal = new CallSignal();
  const stopWatching = signal.follow({ signal: user }, 'the call');
  const timer = setInterval(() => {
    try {
      report();
    } catch (error) {
      signal.abort(error);
      clearInterval(timer);
    }
  }, PROGRESS_MS);
  const stop = (): void => {
    clearInterval(timer);
    stopWatching();
  };
  return { signal, stop };
}

/** Runs a job on a pool; the promise settles once nothing of the job runs any more. */
export async function runJob<R>(job: PoolJob<R>): Promise<R> {
  const { call, spec, total } = job;
  const scope = innerScopeOf(call.scope);
  const pool = scope === undefined ? coreOf(poolOf(call.pool)) : undefined;
  if (call.held === undefined) pool?.checkOpen(); // before a job is made
  const arena = arenaOfThread();
  const id = startJob(job.kind, spec, job.sharedWords, arena);
  const report = reporter(job);
  try {
    const watch = call.onProgress && reportNowAndThen(call.signal, () => report(progressOf(id)));
    const signal = watch?.signal ?? call.signal;
    try {
      const task = new CallTask<R>((indexOf(job.root) ?? asyncIndexOf(job.root)) as number, [id, job.from]);
      const dependencies = dependenciesOf(codesOf(spec), 0);
      const steps = pool?.inTurns && job.steps?.(id, job.from);
      const result = await (scope?.[RUN_JOB](task, dependencies, signal) ??
        (steps && pool?.inTurns?.(steps, { ...call, signal })) ??
        coreOf(poolOf(call.pool)).submit(task, { ...call, signal }, dependencies));
      if (signal !== call.signal && signal?.aborted === true) throw signal.reason; // of a job that had ended by then
      report(total);
      return result;
    } finally {
      watch?.stop();
    }
  } finally {
    closeJob(id, arena);
  }
}

/** Runs a job and returns its result: inside a task on the worker that calls, else on the caller and its workers. */
export function runJobSync<R>(job: PoolJob<R>): R {
  const { call, spec, root, total } = job;
  const pool = isComputing() ? undefined : coreOf(poolOf(call.pool));
  pool?.checkOpen(); // before a job is made
  const arena = arenaOfThread();
  const id = startJob(job.kind, spec, job.sharedWords, arena);
  const report = reporter(job);
  if (call.onProgress !== undefined) watchProgress(id, PROGRESS_MS, report);
  const outer = thread.dependencies;
  const body = (): R => {
    thread.dependencies = dependenciesOf(codesOf(spec), outer);
    thread.own?.deferFrees();
    return runTask(new CallTask<R>(indexOf(root) as number, [id, job.from]));
  };
  try {
    const result = pool === undefined ? body() : pool.computeHere(root.name, body);
    report(total);
    return result;
  } finally {
    thread.dependencies = outer;
    closeJob(id, arena);
  }
}

/**
 * Refuses an array that was freed. A task may go on with one that another thread has freed meanwhile.
 *
 * @param what its name in errors
 * @param buffer what `view.buffer` gives
 * @throws TypeError
 */
export function refuseDead(what: string, view: ArrayBufferView, buffer: ArrayBufferLike): void {
  const fate = fateOf(view, buffer);
  if (fate !== ALIVE && !(fate === DOOMED && isComputing())) throw freedError(what);
}
