/**
 * Runs tasks on the thread that calls, one after the other: the core of a SequentialExecutor, and of a pool where there are no threads, or
 * where threads cannot share memory. Tasks and joins are those of a pool, but there is no worker group, there are no records, and nothing is
 * published.
 */
import { RejectedExecutionError } from '../errors.js';
import { shareWithNobody } from '../memory/external-buffers.js';
import { deferFrees, heapAvailable } from '../memory/heap.js';
import { CANCELLED_BY_POOL } from '../memory/record-kinds.js';
import type { Strand } from '../observe/observer.js';
import { inThisContext } from '../platform/caller-context.js';
import { turn } from '../platform/host.js';
import { isAsync } from '../task/async-task.js';
import { type ForkJoinTask, runTask } from '../task/fork-join-task.js';
import { attach, enter, leave } from '../worker/activation.js';
import { type Alone, hooks } from '../worker/extension.js';
import { after } from '../worker/grace.js';
import { useLocals } from '../worker/local-ends.js';
import { observedApart, releasing } from '../worker/observe.js';
import { cancellationError } from '../worker/requests.js';
import { type PoolView, SEQUENTIAL, thread } from '../worker/worker-slot.js';
import { InFlight } from './in-flight.js';
import { moveHere } from './moving.js';
import type { PoolSettings, SubmitOptions } from './options.js';
import type { OwnerCore } from './owner-core.js';
import { abortError, type Ends, endedBy, watchEnds } from './signal.js';
import { PoolStats, type Stats } from './stats.js';
import { Turns } from './turns.js';
import { lineIsFull } from './waiting-line.js';

/** End of work before its time. */
class WorkEnding {
  /** First cause of its cancellation: its promise rejects with that. */
  cancelled: { readonly error: unknown } | undefined;
  /** Called when it is cancelled. */
  onCancelled: (error: unknown) => void = () => {};
  readonly #ends: Ends;

  constructor({ signal, timeoutMs, startedMs = performance.now() }: Ends) {
    this.#ends = { signal, timeoutMs, startedMs };
  }

  readonly cancel = (error: unknown): void => {
    if (this.cancelled !== undefined) return;
    this.cancelled = { error };
    this.onCancelled(error);
  };

  /** While this thread computes, no timer runs and no event arrives. @throws what has cancelled the work, once it is cancelled */
  readonly look = (): void => {
    this.cancelled ??= endedBy(this.#ends, 'the invocation');
    if (this.cancelled !== undefined) throw this.cancelled.error;
  };
}

/** A task has ended that runs beside whatever the program submits next, as in a pool: who awaits it comes after it. */
function endApart(strand: Strand, isBeside: boolean): void {
  strand.leave();
  const { mark } = strand;
  mark.account = strand.account();
  void Promise.resolve().then(() => mark.arrive(isBeside));
}

export class CallingThread implements OwnerCore {
  readonly settings: PoolSettings;
  readonly runsHere = true;
  readonly #face: PoolView;
  /** Name for error messages. */
  readonly #what: string;
  readonly #inFlight = new InFlight(() => {});
  /** Asynchronous tasks that have begun, and jobs. */
  readonly #running = new Set<Alone>();
  readonly #turns = new Turns();
  /**
   * Number of synchronous tasks and jobs that have not settled. A pool of one thread would run one of them, and the others would
   * wait.
   */
  #inLine = 0;
  /** True if a promise settles a turn of the event loop after its task has ended. */
  protected readonly givesTurns: boolean = false;
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

  get inFlight(): number {
    return this.#inFlight.count;
  }

  stats(): Stats {
    return new PoolStats(this.settings).read({}, this.inFlight);
  }

  async submit<T>(task: ForkJoinTask<T>, options: SubmitOptions, _dependencies = 0, worker = 0): Promise<T> {
    const isCounted = worker === 0 && options.held !== 'later' && !isAsync(task); // an asynchronous task begins at once
    const { moves } = options;
    const run = (): Promise<unknown> => this.#run(task, options);
    const runWith = async (): Promise<unknown> => {
      const end = moves && moveHere(moves); // first
      return run().finally(end);
    };
    return (await this.#settled(options, isCounted, moves === undefined ? run : runWith)) as T;
  }

  async inTurns<R>(steps: Iterator<unknown, R>, options: SubmitOptions): Promise<R> {
    return (await this.#settled(options, true, async () => {
      const ending = new WorkEnding(options);
      const stop = this.#watch({ cancel: () => this.#turns.look(), abandon() {} }, options, ending);
      const stopDeferring = heapAvailable() ? deferFrees() : () => {}; // the program goes on between two steps
      const carrying = options.carry === undefined ? undefined : hooks.carryHere(options.carry, undefined);
      const invocation = carrying?.invocation ?? SEQUENTIAL;
      const within = inThisContext((body: () => void): void => this.#compute(invocation, body, ending.look));
      return this.#turns.run(steps, ending, options.priority ?? 'normal', within).finally(() => {
        carrying?.end();
        stopDeferring();
        stop();
        if (ending.cancelled !== undefined) throw ending.cancelled.error;
      });
    })) as R;
  }

  /** Runs something that counts as in flight until its promise settles. */
  async #settled(options: SubmitOptions, isCounted: boolean, run: () => Promise<unknown>): Promise<unknown> {
    if (isCounted && options.held === undefined) this.#requireRoom();
    this.#inFlight.begun();
    this.#inLine += Number(isCounted);
    try {
      if (options.signal?.aborted === true) throw abortError(options.signal);
      return await run();
    } finally {
      if (this.givesTurns) await turn();
      this.#inLine -= Number(isCounted);
      this.#inFlight.ended();
    }
  }

  /** @throws RejectedExecutionError if as many wait as may */
  #requireRoom(): void {
    const { maxQueue, name } = this.settings;
    if (this.#inLine > maxQueue) throw lineIsFull(name, maxQueue);
  }

  async #run(task: ForkJoinTask<unknown>, options: SubmitOptions): Promise<unknown> {
    const { signal, timeoutMs, onReport, carry } = options;
    const ending = new WorkEnding(options);
    const look = signal === undefined && timeoutMs === undefined && onReport === undefined ? undefined : ending.look;
    this.#endLocals ??= useLocals();
    const listener = onReport && hooks.listenHere(inThisContext(onReport), ending.cancel);
    const carrying = carry === undefined ? undefined : hooks.carryHere(carry, listener?.invocation);
    const { invocation } = carrying ?? listener ?? { invocation: SEQUENTIAL };
    try {
      if (!isAsync(task)) return this.#toEnd(task, invocation, options, look);
      const watch = (running: Alone): (() => void) => this.#watch(running, options, ending);
      const ended = hooks.alone(task, this.#face, invocation, watch, look, options.held !== undefined);
      const result = await ended.catch((error: unknown) => {
        throw ending.cancelled === undefined ? error : ending.cancelled.error; // whatever the task makes of that
      });
      if (ending.cancelled === undefined) return result;
      options.onLate?.(result as never);
      throw ending.cancelled.error;
    } finally {
      carrying?.end();
      listener?.end();
    }
  }

  /** Runs a synchronous task. If it had to end meanwhile, its outcome does not count. */
  #toEnd(
    task: ForkJoinTask<unknown>,
    invocation: number,
    { onLate, held }: SubmitOptions,
    look: (() => void) | undefined,
  ): unknown {
    let result: unknown;
    const strand = thread.observer?.apart(task);
    try {
      result = this.#compute(invocation, () => runTask(task), look);
    } catch (error) {
      look?.();
      throw error;
    } finally {
      if (strand !== undefined) endApart(strand, held !== undefined);
    }
    try {
      look?.();
    } catch (error) {
      onLate?.(result as never);
      throw error;
    }
    return result;
  }

  /** Has work cancelled when a signal aborts, the time is up, or the pool is terminated; returns what ends that. Never throws. */
  #watch(running: Alone, options: SubmitOptions, ending: WorkEnding): () => void {
    let stopGrace = (): void => {};
    const { cancel } = ending;
    ending.onCancelled = (error) => {
      stopGrace = after(options.graceMs ?? this.settings.graceMs, () => running.abandon());
      running.cancel(error); // last: the task may end here
    };
    const watched: Alone = { cancel, abandon: () => running.abandon() };
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
    this.#requireRoom();
    return releasing(this.#inFlight.hold(terminated));
  }

  computeHere<T>(_what: string, body: () => T): T {
    this.checkOpen();
    this.#endLocals ??= useLocals();
    return this.#compute(SEQUENTIAL, () => observedApart(body));
  }

  #compute<T>(invocation: number, body: () => T, look?: () => void): T {
    const below = enter(null, this.#face, look);
    attach(null, invocation, 0);
    try {
      return body();
    } finally {
      leave(below);
    }
  }

  async awaitQuiescence(ms = Number.POSITIVE_INFINITY): Promise<boolean> {
    const isQuiet = await this.#inFlight.whenEmpty(ms);
    await turn(); // the promises of the last calls settle first
    return isQuiet;
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
    for (const running of [...this.#running]) {
      running.cancel(error);
      running.abandon();
    }
    await this.awaitQuiescence();
    await this.#endLocals?.();
  }
}
