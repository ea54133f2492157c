/** Jobs of calls: how they are made known to all threads, run, and reported; runs on the thread that calls. */
import { forgetOldKernels } from '../code/kernel.js';
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
import { type InnerScope, RUN_JOB } from '../task/async-task.js';
import { CallTask } from '../task/call-task.js';
import { runTask } from '../task/fork-join-task.js';
import { asyncIndexOf, type Forkable, indexOf } from '../task/function-task.js';
import { PROGRESS_MS } from '../tuning.js';
import { install } from '../worker/extension.js';
import { isComputing } from '../worker/place.js';
import { arenaOfThread, thread } from '../worker/worker-slot.js';
import type { AdmittedOptions, CallOptions } from './call-options.js';
import type { ExecutorCore } from './executor.js';
import { CallSignal } from './signal.js';

/** The call that a job belongs to. */
interface CallOfJob {
  readonly options: AdmittedOptions;
  readonly scope: InnerScope | undefined;
  /** Undefined in a scope. */
  readonly core: ExecutorCore | undefined;
}

/** Data of a job. */
interface JobData<Spec extends object> {
  readonly kind: JobKind<Spec, unknown>;
  readonly spec: Spec;
  /** Number of words that the tasks of the job share (`jobWords`). */
  readonly sharedWords: number;
  /** Number of elements that its tasks count (`progress`), for `onProgress`. */
  readonly total: number;
}

/** The work of a call that is one job. */
export interface JobPlan<R, Spec extends object> extends JobData<Spec> {
  /** Runs the job from a unit on. In the promise form it may be an asynchronous function. */
  readonly root: Forkable<[job: number, from: number], R>;
  readonly from: number;
  /** As `root`, step by step, for a pool whose only thread is the one that calls (`ExecutorCore.inTurns`). */
  steps?(job: number, from: number): Iterator<unknown, R>;
}

/** A job that is ready to run, once. */
export interface CallJob<R> {
  /** Runs it on a pool; the promise settles once nothing of it runs any more. */
  run(): Promise<R>;
  /** Runs it inside a task on the worker that calls, else on the caller and its workers. */
  runSync(): R;
}

/** A job that tasks of a call share. */
export interface OpenJob {
  readonly id: number;
  /** The code that a task of it needs, with further codes in its arguments: code-table numbers. @throws RangeError when the heap is full */
  dependenciesWith(codes: Iterable<number>): number;
  /** Reports that all elements are done, to the `onProgress` of the call. @throws what that throws */
  completed(): void;
  /** Frees it, when none of its tasks is left. */
  close(): void;
}

install({
  idle() {
    forgetEndedJobs();
    forgetOldKernels();
  },
});

/** The code-table number of a function that is registered. */
export const codeOf = (fn: object): number => (indexOf(fn as never) ?? asyncIndexOf(fn as never)) as number;

/** Makes a job known to all threads. @param failed takes what `onProgress` throws. @throws RangeError when the heap is full */
export function openJob<Spec extends object>(
  { kind, spec, sharedWords, total }: JobData<Spec>,
  { onProgress }: CallOptions,
  failed: (error: unknown) => void,
): OpenJob {
  const arena = arenaOfThread();
  const dependencies = dependenciesOf(codesOf(spec), 0); // first: a full heap may refuse it, and a job must be closed
  const id = startJob(kind, spec, sharedWords, arena);
  const report = reporter(total, onProgress);
  const stop = onProgress === undefined ? () => {} : nowAndThen(() => report(progressOf(id)), failed);
  return {
    id,
    dependenciesWith: (codes) => dependenciesOf([...codes], dependencies),
    completed: () => report(total),
    close() {
      stop();
      closeJob(id, arena);
    },
  };
}

/** See `CallJob.run`. */
export async function runJob<R, Spec extends object>(
  { core, scope, options }: CallOfJob,
  plan: JobPlan<R, Spec>,
): Promise<R> {
  if (options.held === undefined) core?.checkOpen(); // before a job is made
  /** Aborts with the user's signal, and if `onProgress` throws. */
  const own = options.onProgress && new CallSignal();
  const stopWatching = own?.follow({ signal: options.signal }, 'the call');
  const how = { ...options, signal: own ?? options.signal };
  try {
    const job = openJob(plan, options, (error) => own?.abort(error));
    try {
      const task = new CallTask<R>(codeOf(plan.root), [job.id, plan.from]);
      const dependencies = job.dependenciesWith([]);
      const steps = core?.inTurns && plan.steps?.(job.id, plan.from);
      const result = await (scope?.[RUN_JOB](task, dependencies, how.signal) ??
        (steps && core?.inTurns?.(steps, how)) ??
        core?.submit(task, how, dependencies));
      if (own?.aborted === true) throw own.reason; // of a job that had ended by then
      job.completed();
      return result as R;
    } finally {
      job.close();
    }
  } finally {
    stopWatching?.();
  }
}

/** See `CallJob.runSync`. */
export function runJobSync<R, Spec extends object>(
  call: CallOfJob,
  { kind, spec, root, from, total, sharedWords }: JobPlan<R, Spec>,
): R {
  const core = isComputing() ? undefined : call.core;
  const { onProgress } = call.options;
  core?.checkOpen(); // before a job is made
  const arena = arenaOfThread();
  const id = startJob(kind, spec, sharedWords, arena);
  const report = reporter(total, onProgress);
  if (onProgress !== undefined) watchProgress(id, PROGRESS_MS, report);
  const outer = thread.dependencies;
  const body = (): R => {
    thread.dependencies = dependenciesOf(codesOf(spec), outer);
    thread.own?.deferFrees();
    return runTask(new CallTask<R>(indexOf(root) as number, [id, from]));
  };
  try {
    const result = core === undefined ? body() : core.computeHere(root.name, body);
    report(total);
    return result;
  } finally {
    thread.dependencies = outer;
    closeJob(id, arena);
  }
}

/** Reports growing numbers of finished elements to `onProgress`. */
function reporter(total: number, onProgress: CallOptions['onProgress']): (done: number) => void {
  let reported = 0;
  return (done) => {
    if (Math.min(done, total) <= reported) return;
    reported = Math.min(done, total);
    onProgress?.(reported, total);
  };
}

/** Reports now and then, until the function that it returns is called, or that throws. */
function nowAndThen(report: () => void, failed: (error: unknown) => void): () => void {
  const timer = setInterval(() => {
    try {
      report();
    } catch (error) {
      clearInterval(timer);
      failed(error);
    }
  }, PROGRESS_MS);
  return () => clearInterval(timer);
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
