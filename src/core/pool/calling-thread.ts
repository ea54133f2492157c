/**
 * Runs tasks on the thread that calls, one after the other: the core of a SequentialExecutor, and of a pool where there are no threads, or
 * where threads cannot share memory. Tasks and joins are those of a pool, but there is no worker group, there are no records, and nothing is
 * published.
 */
import { RejectedExecutionError } from '../errors.js';
import { shareWithNobody } from '../memory/external-buffers.js';
import { isAsync } from '../task/async-task.js';
import { type ForkJoinTask, runTask } from '../task/fork-join-task.js';
import { attach, enter, leave } from '../worker/activation.js';
import { type Alone, moments } from '../worker/extension.js';
import { after } from '../worker/grace.js';
import { CANCELLED_BY_POOL, cancellationError } from '../worker/requests.js';
import { useLocals } from '../worker/worker-local.js';
import { type PoolView, SEQUENTIAL } from '../worker/worker-slot.js';
import { InFlight } from './in-flight.js';
import type { InvokeOptions, PoolSettings } from './options.js';
import type { OwnerCore } from './owner-core.js';
import { abortError, watchEnds } from './signal.js';
import { PoolStats, type Stats } from './stats.js';

/** How an asynchronous task ends before its time. */
interface Ending {
  /** What has cancelled it first: its promise rejects with that. */
  cancelled: { readonly error: unknown } | undefined;
  cancel(error: unknown): void;
}

export class CallingThread implements OwnerCore {
  readonly settings: PoolSettings;
  readonly runsHere = true;
  readonly #face: PoolView;
  /** What errors call it. */
  readonly #what: string;
  readonly #inFlight = new InFlight(() => {});
  /** The asynchronous tasks that have begun. */
  readonly #running = new Set<Alone>();
  #isClosed = false;
  /** To be called at the end, once this thread has run tasks. */
  #endLocals: ((graceMs?: number) => Promise<void>) | undefined;

  /** @param face the executor, as tasks see it */
  constructor(settings: PoolSettings, face: PoolView, what: string) {
    this.settings = { ...settings, checked: false }; // no other thread could run what was forked
    this.#face = face;
    this.#what = what;
    shareWithNobody();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  checkOpen(): void {
    if (this.#isClosed) throw new RejectedExecutionError(`furcate: ${this.#what} is closed, and takes no more work.`);
  }

  startEarly(): void {}

  async ready(): Promise<void> {
    this.checkOpen();
  }

  stats(): Stats {
    return new PoolStats(this.settings).read(undefined);
  }

  async submit<T>(task: ForkJoinTask<T>, options: InvokeOptions): Promise<T> {
    this.#inFlight.begun();
    try {
      if (options.signal?.aborted === true) throw abortError(options.signal);
      return (await this.#run(task, options)) as T;
    } finally {
      this.#inFlight.ended();
    }
  }

  async #run(task: ForkJoinTask<unknown>, options: InvokeOptions): Promise<unknown> {
    const ending: Ending = { cancelled: undefined, cancel() {} };
    this.#endLocals ??= useLocals();
    const listener = options.onReport && moments.listenHere(options.onReport, (error) => ending.cancel(error));
    const { invocation } = listener ?? { invocation: SEQUENTIAL };
    try {
      if (!isAsync(task)) return this.#compute(invocation, () => runTask(task)); // it has ended before anything could cancel it
      const ended = moments.alone(task, this.#face, invocation, (running) => this.#watch(running, options, ending));
      return await ended.finally(() => {
        if (ending.cancelled !== undefined) throw ending.cancelled.error; // whatever the task makes of that
      });
    } finally {
      listener?.end();
    }
  }

  /** Has a task cancelled when a signal aborts, the time is up, or the pool is terminated; returns what ends that. Never throws. */
  #watch(running: Alone, options: InvokeOptions, ending: Ending): () => void {
    let stopGrace = (): void => {};
    const cancel = (error: unknown): void => {
      if (ending.cancelled !== undefined) return;
      ending.cancelled = { error };
      stopGrace = after(options.graceMs ?? this.settings.graceMs, () => running.abandon());
      running.cancel(error); // last: the task may end here
    };
    const watched: Alone = { cancel, abandon: () => running.abandon() };
    ending.cancel = cancel;
    this.#running.add(watched);
    let stop = (): void => {};
    try {
      stop = watchEnds(options, 'the invocation', cancel);
    } catch (error) {
      cancel(error);
    }
    return () => {
      this.#running.delete(watched);
      stopGrace();
      try {
        stop();
      } catch (error) {
        ending.cancelled ??= { error }; // the user's signal has thrown
      }
    };
  }

  hold(terminated: (error: unknown) => void): () => void {
    this.checkOpen();
    return this.#inFlight.hold(terminated);
  }

  computeHere<T>(_what: string, body: () => T): T {
    this.checkOpen();
    this.#endLocals ??= useLocals();
    return this.#compute(SEQUENTIAL, body);
  }

  #compute<T>(invocation: number, body: () => T): T {
    const below = enter(null, this.#face);
    attach(null, invocation, 0);
    try {
      return body();
    } finally {
      leave(below);
    }
  }

  awaitQuiescence(ms = Number.POSITIVE_INFINITY): Promise<boolean> {
    return this.#inFlight.whenEmpty(ms);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.awaitQuiescence();
    await this.#endLocals?.(this.settings.graceMs);
  }

  async terminate(): Promise<void> {
    this.#isClosed = true;
    const error = cancellationError(CANCELLED_BY_POOL);
    this.#inFlight.terminate(error);
    for (const running of this.#running) {
      running.cancel(error);
      running.abandon();
    }
    await this.awaitQuiescence();
    await this.#endLocals?.();
  }
}
