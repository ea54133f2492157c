/**
 * Calls of the library, of whatever kind: an algorithm, a graph, a pipeline, some tasks; runs on the thread that calls.
 *
 * `beginCall` opens one that returns a promise, and `Call.admit` checks its options. Then it has one of two ways to run. It runs one job, whose
 * tasks fork others (`job`). Or it holds its pool (`during`), and submits one task after the other (`run`), of jobs that it makes known (`open`):
 * it counts as one call in flight then, and its `signal` tells of its end.
 */
import { guardMainModule } from '../code/main-module.js';
import { NotShareableError } from '../errors.js';
import type { JobKind } from '../job/job.js';
import type { TimelineNotes } from '../observe/timeline-notes.js';
import { host } from '../platform/host.js';
import type { AbortSignalLike } from '../task/abort-signal.js';
import { type AsyncForkable, type InnerScope, innerScopeOf, RUN_JOB } from '../task/async-task.js';
import { CallTask } from '../task/call-task.js';
import type { ForkJoinTask } from '../task/fork-join-task.js';
import type { Forkable } from '../task/function-task.js';
import { hooks } from '../worker/extension.js';
import { isChecked, isComputing, isInTask } from '../worker/place.js';
import { requireFresh } from '../worker/scheduler.js';
import { thread } from '../worker/worker-slot.js';
import { type CallJob, codeOf, type JobPlan, type OpenJob, openJob, runJob, runJobSync } from './call-job.js';
import { type AdmittedOptions, type Callee, type CallOptions, checkCall } from './call-options.js';
import { chunkElementsOf, coreOf, type Executor, type ExecutorCore } from './executor.js';
import { ForkJoinPool } from './fork-join-pool.js';
import { type InvokeOptions, type SubmitOptions, traceOfEnvironment } from './options.js';
import { SequentialExecutor } from './sequential-executor.js';
import { abortError, CallSignal, watchEnds } from './signal.js';

/** Data of one task of a call. */
interface Submission extends Pick<SubmitOptions, 'onReport' | 'onLate' | 'called' | 'moves'> {
  readonly signal: CallSignal;
  /** The address of the worker that is to run it; by default any. Not in a scope. */
  readonly worker?: number;
}

/** Callee that is told when its call is cancelled. */
export interface Cancellable {
  /** Ends what runs in the pool, and asks what runs here to end. */
  cancel(error: unknown): void;
  /** Ends what waits here, at once. */
  abandon?(): void;
}

/** A call that may run: its options, its place, and, while it holds its pool, its end. */
export class Call {
  readonly options: AdmittedOptions;
  /** The scope of the asynchronous task that it belongs to. */
  readonly scope: InnerScope | undefined;
  /** Number of threads it has: inside a task those of the current pool. */
  readonly parallelism: number;
  /** Number of elements that an algorithm without a `threshold` does at once; 0 if the clock decides. */
  readonly chunkElements: number;
  readonly #callee: Callee | undefined;
  /** Callbacks for its end, while it holds its pool. */
  #ends: (() => void)[] | undefined;
  #signal: CallSignal | undefined;
  #holder: Cancellable | undefined;
  #hasSubmitted = false;

  /** @param options were checked, or need no checks. Calls of users come from `admit` */
  constructor(options: AdmittedOptions, callee?: Callee) {
    const inTask = isComputing() || options.scope !== undefined;
    const place = inTask ? thread.pool : poolOf(options.pool);
    this.options = options;
    this.scope = innerScopeOf(options.scope);
    this.parallelism = place?.parallelism ?? 1;
    this.chunkElements = chunkElementsOf(place ?? undefined);
    this.#callee = callee;
  }

  /**
   * Checks how a call is to run, and refuses one that cannot run here, before anything starts.
   *
   * @param given its options; those that `InvokeOptions` has may be of any type
   * @throws TypeError, RangeError for options; Error for the promise form inside a task, another pool inside a task, or the Sync form where
   *   nothing may block; CancellationError for a signal that is aborted already
   */
  static admit(given: CallOptions & Pick<InvokeOptions, 'limit'>, callee: Callee): Call {
    checkCall(given, callee);
    const { pool, scope, signal, timeoutMs, graceMs, priority, carry, onProgress } = given;
    const startedMs = timeoutMs === undefined ? undefined : (larger?.startedMs ?? performance.now());
    const held = larger?.held;
    const ends = { signal, timeoutMs, startedMs, graceMs };
    const options = { pool, scope, ...ends, priority, carry, onProgress, held, called: callee.name };
    checkStart(options, callee);
    if (pool !== undefined && held === undefined && !isInTask()) coreOf(pool).checkOpen(); // the caller may do it alone
    return new Call(options, callee);
  }

  /** The place for notes of a call that is made of many tasks, if its timeline is recorded. @param call in a pool; none for the notes of what belongs to no pool. A call in a scope has no notes: it belongs to a task */
  static notesOf(call?: Pick<CallOptions, 'pool' | 'scope'>): TimelineNotes | undefined {
    if (call === undefined) return hooks.notes(traceOfEnvironment());
    return call.scope === undefined ? hooks.notes(coreOf(poolOf(call.pool)).settings.trace) : undefined;
  }

  /** Checks what may have changed since it was admitted. @throws as `admit` */
  checkAgain(): void {
    if (this.#callee !== undefined) checkStart(this.options, this.#callee);
  }

  /** The same call with another callback, or whose tasks are called otherwise. */
  with(changes: Pick<AdmittedOptions, 'onProgress' | 'called'>): Call {
    return new Call({ ...this.options, ...changes }, this.#callee);
  }

  get #core(): ExecutorCore {
    return coreOf(poolOf(this.options.pool));
  }

  /** The interface of its executor; undefined in a scope. */
  get core(): ExecutorCore | undefined {
    return this.scope === undefined ? this.#core : undefined;
  }

  get onProgress(): CallOptions['onProgress'] {
    return this.options.onProgress;
  }

  /**
   * True if the user's code must run in a task, and not by itself on the caller's thread. Nothing could end it there, if that must be
   * possible, and it could not read what the call carries.
   */
  get onlyInTasks(): boolean {
    const { carry, scope } = this.options;
    if (carry !== undefined || this.chunkElements > 0) return true;
    return this.#callee?.form === 'promise' && scope === undefined && this.graceMs !== Number.POSITIVE_INFINITY;
  }

  /** True if each task must cross to a worker. */
  get checked(): boolean {
    return this.core?.settings.checked ?? isChecked();
  }

  /** Time for which cancelled work may go on (ms). */
  get graceMs(): number {
    if (this.scope !== undefined) return Number.POSITIVE_INFINITY; // its invocation has one
    return this.options.graceMs ?? this.#core.settings.graceMs;
  }

  /** True if tasks run on the thread that calls, one after the other, and without a turn of its event loop. */
  get runsHere(): boolean {
    return this.core?.runsHere === true;
  }

  /** Starts the workers of the pool that it is going to need, if it has none. Inside a task they run already. */
  startEarly(): void {
    if (!isInTask() && this.options.scope === undefined) this.#core.startEarly(this.#callee?.form === 'sync');
  }

  /** @throws NotShareableError within a task, whose worker reaches no other worker */
  requireOwner(option: string): void {
    if (this.scope === undefined) return;
    throw new NotShareableError(
      `furcate: ${option} names a port, canvas or the like, which no worker can transfer to another. Let the thread that owns the pool make this call.`,
    );
  }

  /** Makes one job of the call. */
  job<R, Spec extends object>(plan: JobPlan<R, Spec>): CallJob<R> {
    return { run: () => runJob(this, plan), runSync: () => runJobSync(this, plan) };
  }

  /**
   * Makes a job known to all threads.
   *
   * @param total how many elements its tasks count (`progress`), for the `onProgress` of the call
   * @throws RangeError when the heap is full
   */
  open<Spec extends object>(kind: JobKind<Spec, unknown>, spec: Spec, sharedWords = 0, total = 0): OpenJob {
    return openJob({ kind, spec, sharedWords, total }, this.options, (error) => this.#cancel(error));
  }

  /** Aborts once the call is cancelled, while it holds its pool. */
  get signal(): CallSignal {
    this.#signal ??= new CallSignal();
    return this.#signal;
  }

  /**
   * Holds its pool while something runs, which may submit tasks. @throws (rejects with) RejectedExecutionError when the pool is closed, or takes
   * no more; what a signal throws. Nothing is left of the call then
   */
  async during<R>(act: () => Promise<R>): Promise<R> {
    this.hold();
    try {
      return await act();
    } finally {
      this.end();
    }
  }

  /** As `during`, until `end`. */
  hold(): void {
    const { signal, timeoutMs, startedMs, held } = this.options;
    const ends = { signal: signal ?? (this.scope?.signal as AbortSignalLike | undefined), timeoutMs, startedMs };
    this.#ends = [];
    this.#hasSubmitted = false;
    try {
      this.#ends.push(watchEnds(ends, 'the call', (error) => this.#cancel(error)));
      if (this.scope !== undefined || held !== undefined) return; // a larger call holds the pool
      const release = this.#core.hold((error) => {
        this.#cancel(error);
        this.#holder?.abandon?.();
      });
      this.#ends.unshift(release);
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** To be called when nothing of the call runs any more. @throws what its signal throws, when nothing is left of the call */
  end(): void {
    this.#holder = undefined;
    for (const end of this.#ends?.splice(0) ?? []) end(); // the signal is the last one
  }

  #cancel(error: unknown): void {
    this.signal.abort(error);
    this.#holder?.cancel(this.signal.reason);
  }

  /** Has its holder told once the call is cancelled; at once if it is. A later holder takes the place of an earlier one. */
  tell(holder: Cancellable): void {
    this.#holder = holder;
    if (this.signal.aborted) holder.cancel(this.signal.reason);
  }

  /** Number of tasks, and of calls that submit many, that are in flight in the pool and do not belong to this call. Not in a scope. @param own number of tasks that do */
  othersInFlight(own: number): number {
    return this.#core.inFlight - own - 1;
  }

  /**
   * Runs a call of a function; the promise settles once nothing of it runs any more.
   *
   * @param dependencies what its job says
   */
  run<R>(
    fn: Forkable<never[], R> | AsyncForkable<never[], R>,
    args: unknown[],
    { dependencies, ...how }: Submission & { readonly dependencies: number },
  ): Promise<R> {
    return this.#submit(new CallTask<R>(codeOf(fn), args), dependencies, how);
  }

  /** As `run`, of a task that the user has given. @throws Error for one that was started meanwhile */
  submit<R>(task: ForkJoinTask<R>, how: Submission): Promise<R> {
    requireFresh('invoke', task);
    return this.#submit(task, 0, how);
  }

  #submit<R>(task: ForkJoinTask<R>, dependencies: number, { worker, ...how }: Submission): Promise<R> {
    if (this.scope !== undefined) return this.scope[RUN_JOB](task, dependencies, how.signal);
    const { pool, onProgress, timeoutMs, startedMs, scope, ...options } = this.options;
    const held = this.#hasSubmitted ? 'later' : (options.held ?? 'first');
    this.#hasSubmitted = true;
    return this.#core.submit(task, { ...options, ...how, held }, dependencies, worker);
  }
}

/** Checks whether a call may start here, and now. */
function checkStart(options: CallOptions, callee: Callee): void {
  checkPlace(options, callee);
  if (options.signal?.aborted === true) throw abortError(options.signal);
}

/** @throws Error, TypeError for a call that cannot run here: in a task, in another pool than the task's, or where nothing may block */
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
  } else if (isInTask() || call.scope !== undefined) checkScope(call, callee);
  else {
    if (form === 'sync') guardMainModule(`${name}()`);
    // A sequential executor only computes; a pool has to wait for its workers.
    if (form === 'sync' && !host().mayBlock() && !(call.pool instanceof SequentialExecutor)) {
      throw new Error(`furcate: ${name}() on a thread that must not block. Use await ${names.promise}() here.`);
    }
  }
}

/** @throws Error without the scope of the asynchronous task, and in the Sync form; TypeError for what is no scope of a task that runs */
function checkScope(call: CallOptions, { name, form, names }: Callee): void {
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

/** Executor of a call that names no pool. */
const poolOf = (pool: Executor | undefined): Executor => pool ?? ForkJoinPool.commonPool();

/** The larger call that what begins now is a part of: it holds the pool, and its time counts. */
let larger: Pick<SubmitOptions, 'held' | 'startedMs'> | undefined;

/** Begins a call as a part of a larger one: what it does until its first await is admitted as such. */
export function within<R>(call: NonNullable<typeof larger>, act: () => Promise<R>): Promise<R> {
  const outer = larger;
  larger = call;
  try {
    return act();
  } finally {
    larger = outer;
  }
}
