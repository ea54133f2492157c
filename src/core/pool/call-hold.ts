/**
 * A call that sends many tasks to a pool, one after the other; runs on the thread that calls. It counts as one that is in flight, and ends
 * as one.
 */

import { NotShareableError } from '../errors.js';
import { dependenciesOf } from '../job/code-dependencies.js';
import { closeJob, type JobKind, progressOf, startJob } from '../job/job.js';
import type { AbortSignalLike } from '../task/abort-signal.js';
import { type AsyncForkable, type InnerScope, innerScopeOf, RUN_JOB } from '../task/async-task.js';
import { CallTask } from '../task/call-task.js';
import type { ForkJoinTask } from '../task/fork-join-task.js';
import { asyncIndexOf, type Forkable, indexOf } from '../task/function-task.js';
import { PROGRESS_MS } from '../tuning.js';
import { isChecked } from '../worker/place.js';
import { requireFresh } from '../worker/scheduler.js';
import { arenaOfThread } from '../worker/worker-slot.js';
import { coreOf } from './executor.js';
import { notesOf } from './notes.js';
import type { SubmitOptions } from './options.js';
import { type AdmittedCall, codesOf, poolOf, reporter } from './run-job.js';
import { type CallSignal, watchEnds } from './signal.js';

/** A job that tasks of a call share. */
interface OpenJob {
  readonly id: number;
  /** The code that a task of it needs, with further codes in its arguments: code-table numbers. @throws RangeError when the heap is full */
  dependenciesWith(codes: Iterable<number>): number;
  /** Reports that all elements are done, to the `onProgress` of the call. @throws what that throws */
  completed(): void;
  /** Frees it, when none of its tasks is left. */
  close(): void;
}

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
  abandon(): void;
}

/**
 * One call's hold on its pool: it submits tasks with `run` as long as it likes, hears of the end of the call through `tell`, and gives the
 * pool free with `end`.
 */
export class CallHold {
  /** For those that make calls of many tasks, and note what these do. */
  static readonly notesOf = notesOf;
  /** True if each task must cross to a worker. */
  readonly checked: boolean;
  readonly #call: AdmittedCall;
  readonly #scope: InnerScope | undefined;
  /** Callbacks for the end of the call. */
  readonly #ends: (() => void)[] = [];
  #holder: Cancellable | undefined;
  #cancelled: { readonly error: unknown } | undefined;
  #hasSubmitted = false;

  /** @throws RejectedExecutionError when the pool is closed, or takes no more; what a signal throws. Nothing is left of the call then */
  constructor(call: AdmittedCall) {
    this.#call = call;
    this.#scope = innerScopeOf(call.scope);
    this.checked = this.#scope === undefined ? coreOf(poolOf(call.pool)).settings.checked : isChecked();
    try {
      this.#watch();
    } catch (error) {
      this.end();
      throw error;
    }
  }

  #watch(): void {
    const { timeoutMs, startedMs, pool, held } = this.#call;
    const signal = this.#call.signal ?? (this.#scope?.signal as AbortSignalLike | undefined);
    this.#ends.push(watchEnds({ signal, timeoutMs, startedMs }, 'the call', (error) => this.#cancel(error)));
    if (this.#scope !== undefined || held !== undefined) return; // a larger call holds the pool
    const release = coreOf(poolOf(pool)).hold((error) => {
      this.#cancel(error);
      this.#holder?.abandon();
    });
    this.#ends.unshift(release);
  }

  #cancel(error: unknown): void {
    this.#cancelled ??= { error };
    this.#holder?.cancel(this.#cancelled.error);
  }

  /** True if tasks run on the thread that calls, one after the other, and without a turn of its event loop. */
  get runsHere(): boolean {
    return this.#scope === undefined && coreOf(poolOf(this.#call.pool)).runsHere === true;
  }

  /** Number of tasks, and of calls that submit many, that are in flight in the pool and do not belong to this call. Not in a scope. @param own number of tasks that do */
  othersInFlight(own: number): number {
    return coreOf(poolOf(this.#call.pool)).inFlight - own - 1;
  }

  /** Time for which cancelled work may go on (ms). */
  get graceMs(): number {
    const { graceMs, pool } = this.#call;
    if (this.#scope !== undefined) return Number.POSITIVE_INFINITY; // its invocation has one
    return graceMs ?? coreOf(poolOf(pool)).settings.graceMs;
  }

  /** @throws NotShareableError within a task, whose worker reaches no other worker */
  requireOwner(option: string): void {
    if (this.#scope === undefined) return;
    throw new NotShareableError(
      `furcate: ${option} names a port, canvas or the like, which no worker can transfer to another. Let the thread that owns the pool make this call.`,
    );
  }

  /** Has its holder told once the call is cancelled; at once if it is. A later holder takes the place of an earlier one. */
  tell(holder: Cancellable): void {
    this.#holder = holder;
    if (this.#cancelled !== undefined) holder.cancel(this.#cancelled.error);
  }

  /**
   * Makes a job known to all threads.
   *
   * @param total how many elements its tasks count (`progress`), for the `onProgress` of the call
   * @throws RangeError when the heap is full
   */
  open<Spec extends object>(kind: JobKind<Spec, unknown>, spec: Spec, sharedWords = 0, total = 0): OpenJob {
    const arena = arenaOfThread();
    const dependencies = dependenciesOf(codesOf(spec), 0); // first: a full heap may refuse it, and a job must be closed
    const id = startJob(kind, spec, sharedWords, arena);
    const report = reporter({ call: this.#call, total });
    const stop = this.#call.onProgress === undefined ? () => {} : this.#nowAndThen(() => report(progressOf(id)));
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

  /** Reports now and then, until the function that it returns is called. The call is cancelled if that throws. */
  #nowAndThen(report: () => void): () => void {
    const timer = setInterval(() => {
      try {
        report();
      } catch (error) {
        clearInterval(timer);
        this.#cancel(error);
      }
    }, PROGRESS_MS);
    return () => clearInterval(timer);
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
    return this.#submit(new CallTask<R>((indexOf(fn) ?? asyncIndexOf(fn)) as number, args), dependencies, how);
  }

  /** As `run`, of a task that the user has given. @throws Error for one that was started meanwhile */
  submit<R>(task: ForkJoinTask<R>, how: Submission): Promise<R> {
    requireFresh('invoke', task);
    return this.#submit(task, 0, how);
  }

  #submit<R>(task: ForkJoinTask<R>, dependencies: number, { worker, ...how }: Submission): Promise<R> {
    if (this.#scope !== undefined) return this.#scope[RUN_JOB](task, dependencies, how.signal);
    const { pool, onProgress, timeoutMs, startedMs, scope, ...options } = this.#call;
    const held = this.#hasSubmitted ? 'later' : (this.#call.held ?? 'first');
    this.#hasSubmitted = true;
    return coreOf(poolOf(pool)).submit(task, { ...options, ...how, held }, dependencies, worker);
  }

  /** To be called when nothing of the call runs any more. @throws what its signal throws, when nothing is left of the call */
  end(): void {
    this.#holder = undefined;
    for (const end of this.#ends.splice(0)) end(); // the signal is the last one
  }
}
