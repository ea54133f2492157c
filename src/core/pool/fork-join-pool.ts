/** The pool as users see it; runs on the thread that makes it. */

import { guardMainModule } from '../code/main-module.js';
import { publishPart } from '../code/parts.js';
import { registrationOf } from '../code/registry.js';
import { RejectedExecutionError, show } from '../errors.js';
import { host } from '../platform/host.js';
import { type AsyncForkable, type AsyncTask, isAsync } from '../task/async-task.js';
import { isCallTask } from '../task/call-task.js';
import { type ForkJoinTask, nameOf, runTask } from '../task/fork-join-task.js';
import { asyncIndexOf, type Forkable, indexOf } from '../task/function-task.js';
import { MAX_TIMER_MS } from '../worker/grace.js';
import { CANCELLED_BY_POOL, cancellationError } from '../worker/requests.js';
import { isInTask, refuseAsync, rootTask } from '../worker/scheduler.js';
import { runOnCaller } from './caller.js';
import { type Crash, crashWarning } from './crash.js';
import { InFlight } from './in-flight.js';
import { Invocations } from './invocation.js';
import {
  checkMs,
  type ForkJoinPoolOptions,
  type InvokeOptions,
  invokeOptions,
  type PoolSettings,
  poolSettings,
  type SubmitOptions,
} from './options.js';
import { abortError } from './signal.js';
import { PoolStats, type Stats } from './stats.js';
import { WorkerGroup } from './worker-group.js';

/** Settings as a text, to compare them. */
const textOf = (settings: object): string =>
  JSON.stringify(settings, (_key, value) => (typeof value === 'object' ? value : String(value)));

/** The options of the common pool. The constructor refuses what is not an object. */
function commonOptions(given: ForkJoinPoolOptions = {}): ForkJoinPoolOptions {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const options = { ...given }; // getters run once
  return { ...options, name: options.name ?? 'furcate-common' };
}

/** @throws Error inside a task, with a cure */
function refuseInTask(call: string, cure: string): void {
  if (isInTask()) throw new Error(`furcate: ${call} inside a task. ${cure}`);
}

/**
 * Runs fork/join tasks on worker threads.
 *
 * @example
 * const pool = new ForkJoinPool({ parallelism: 2 });
 * const result = await pool.invoke(new Fib(30));
 * await pool.close();
 */
export class ForkJoinPool {
  static #common: ForkJoinPool | undefined;
  readonly #settings: PoolSettings;
  readonly #stats: PoolStats;
  /** The worker group, and its invocations. */
  #current: Invocations | undefined;
  #closed = false;
  #terminated = false;
  /** What has not ended, in this worker group and in earlier ones. */
  readonly #inFlight = new InFlight(() => this.#retireLater());
  /** Stops the timer that ends idle workers. */
  #stopRetirement: (() => void) | undefined;
  /** Whether the workers were used since that timer began. */
  #usedLately = false;
  /** Worker groups that are ending; closing waits for them. */
  readonly #ending = new Set<Promise<void>>();

  /**
   * @throws TypeError or RangeError naming the option
   * @throws Error inside a task: a pool is made outside, and nested algorithms use the current one
   */
  constructor(options: ForkJoinPoolOptions = {}) {
    refuseInTask(
      'new ForkJoinPool()',
      'Tasks run in the pool that they are in: fork(), or call the Sync form of an algorithm.',
    );
    guardMainModule('new ForkJoinPool()');
    this.#settings = poolSettings(options);
    this.#stats = new PoolStats(this.#settings);
  }

  /**
   * The pool that every algorithm uses when none is given; made on first use, with the options that `configureCommonPool`
   * was given, and never closed.
   */
  static commonPool(): ForkJoinPool {
    ForkJoinPool.#common ??= new ForkJoinPool(commonOptions());
    return ForkJoinPool.#common;
  }

  /**
   * Gives the common pool its options. To be called once, when the program starts: the first algorithm without a `pool`
   * makes the common pool with the usual options. Libraries should leave this to the program. Another call with the same
   * options does nothing, as a test runner calls a setup file again.
   *
   * @param options those of the constructor; they are checked at once, and no worker starts yet
   * @throws TypeError or RangeError naming the option
   * @throws Error when the common pool has been made, or configured before, with other options; inside a task, or in a worker
   * @example
   * ForkJoinPool.configureCommonPool({ parallelism: 4, keepAliveMs: 5_000 });
   */
  static configureCommonPool(options: ForkJoinPoolOptions): void {
    refuseInTask('ForkJoinPool.configureCommonPool()', 'Call it at the start of the program, on its main thread.');
    guardMainModule('ForkJoinPool.configureCommonPool()');
    const pool = new ForkJoinPool(commonOptions(options));
    if (ForkJoinPool.#common !== undefined) {
      if (textOf(pool.#settings) === textOf(ForkJoinPool.#common.#settings)) return;
      throw new Error(
        'furcate: ForkJoinPool.configureCommonPool() comes too late: the common pool is in use, or was configured before. ' +
          'Call it once, before the first algorithm without a pool and the first commonPool().',
      );
    }
    ForkJoinPool.#common = pool;
  }

  /** Threads that compute: under `invoke` all are workers, under `invokeSync` the caller is one of them. */
  get parallelism(): number {
    return this.#settings.parallelism;
  }

  get name(): string {
    return this.#settings.name;
  }

  /** Has the pool been closed or terminated? */
  get isClosed(): boolean {
    return this.#closed;
  }

  /**
   * Runs a task, or a call of a forkable function, on the workers; the event loop stays free. Both may be asynchronous.
   *
   * @param work a task that was never forked; or a function made with `forkable`, and its arguments
   * @param options for a task: `{ signal, timeoutMs, graceMs, priority, onReport }`
   * @returns its result. Rejects with what it threw; a CancellationError (an `AbortError` where the signal did it) once
   *   nothing of it runs any more; a WorkerCrashError when a worker died; a RejectedExecutionError when the pool is closed, or
   *   as many invocations wait as `maxQueue` allows; a TypeError for bad arguments
   */
  invoke<T>(work: ForkJoinTask<T> | AsyncTask<T>, options?: InvokeOptions): Promise<T>;
  invoke<A extends unknown[], R>(work: Forkable<A, R>, ...args: A): Promise<R>;
  invoke<A extends unknown[], R>(work: AsyncForkable<A, R>, ...args: A): Promise<R>;
  async invoke(work: unknown, ...rest: unknown[]): Promise<unknown> {
    const task = this.#taskOf('invoke', work, rest);
    const options = typeof work === 'function' ? {} : invokeOptions(rest[0]);
    if (options.signal?.aborted === true) throw abortError(options.signal);
    return this.submit(task, options, 0);
  }

  /**
   * Runs a call of a forkable function once on every worker, each as soon as its worker has nothing else on its stack: to warm up what each
   * worker keeps by itself (`workerLocal`, modules, caches), or to ask each for something. `maxQueue` does not count it.
   *
   * @param fn a function made with `forkable` or `asyncForkable`, and its arguments, which each worker gets for itself
   * @returns the results, of worker 1 first. When all have ended, rejects with the failure of the first worker that failed; otherwise as `invoke`
   * @example
   * const dictionary = workerLocal(() => loadDictionary()); // in a module with tasks, and this beside it:
   * export const warmUp = forkable(import.meta.url, 'warmUp', () => dictionary.get().size);
   * // elsewhere: await pool.broadcast(warmUp)
   */
  broadcast<A extends unknown[], R>(fn: Forkable<A, R>, ...args: A): Promise<R[]>;
  broadcast<A extends unknown[], R>(fn: AsyncForkable<A, R>, ...args: A): Promise<R[]>;
  async broadcast(fn: unknown, ...args: unknown[]): Promise<unknown[]> {
    if (indexOf(fn) === undefined && asyncIndexOf(fn) === undefined) {
      throw new TypeError(
        `furcate: broadcast() takes a function made with forkable() or asyncForkable(), and its arguments; it was given ${show(fn)}.`,
      );
    }
    const tasks = Array.from({ length: this.parallelism }, () => this.#taskOf('broadcast', fn, args));
    const outcomes = await Promise.allSettled(tasks.map((task, k) => this.submit(task, {}, 0, k + 1)));
    return outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
  }

  /**
   * Runs a task, or a call of a forkable function, and blocks until it is done; the caller computes too.
   *
   * @returns its result
   * @throws what it threw; as `invoke` otherwise, and an Error on a thread that must not block (a browser's main thread)
   */
  invokeSync<T>(work: ForkJoinTask<T>): T;
  invokeSync<A extends unknown[], R>(work: Forkable<A, R>, ...args: A): R;
  invokeSync(work: unknown, ...args: unknown[]): unknown {
    const task = this.#taskOf('invokeSync', work, args);
    refuseAsync('invokeSync()', task);
    if (!host().mayBlock()) {
      throw new Error('furcate: invokeSync() on a thread that must not block. Use await pool.invoke() here.');
    }
    // In checked mode the root, too, runs as if it were stolen.
    const body = this.#settings.checked ? () => task.fork().join() : () => runTask(task);
    return this.computeHere(nameOf(task), body);
  }

  /** Starts the workers now; resolves when all are up. */
  async ready(): Promise<void> {
    this.checkOpen();
    const { group } = this.#start();
    const release = group.retain();
    try {
      await group.ready;
    } finally {
      release();
      if (this.#inFlight.isEmpty) this.#retireLater();
    }
  }

  /** What the workers have done so far, as counts since the pool was made. */
  stats(): Stats {
    return this.#stats.read(this.#current?.group);
  }

  /**
   * Waits until nothing is in flight.
   *
   * @param ms how long at most; without it as long as it takes
   * @returns true if it became quiet, false when the time was up first
   */
  async awaitQuiescence(ms?: number): Promise<boolean> {
    if (ms !== undefined) checkMs(ms, 'ms');
    return this.#inFlight.whenEmpty(ms ?? Number.POSITIVE_INFINITY);
  }

  /** Takes no more work, finishes what is in flight, and ends the workers. The common pool stays open. */
  async close(): Promise<void> {
    if (this === ForkJoinPool.#common) return;
    this.#closed = true;
    await this.awaitQuiescence();
    await this.#endGroup('stop');
  }

  /** Takes no more work and ends the workers at once; what is in flight rejects with a CancellationError. */
  async terminate(): Promise<void> {
    if (this === ForkJoinPool.#common) return;
    this.#closed = true;
    this.#terminated = true;
    this.#inFlight.terminate(cancellationError(CANCELLED_BY_POOL));
    const current = this.#current;
    await this.#endGroup('kill');
    current?.abandonAll(undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Hands a checked task to the workers. For algorithms. @internal */
  async submit<T>(task: ForkJoinTask<T>, options: SubmitOptions, dependencies: number, worker = 0): Promise<T> {
    if (options.held === undefined || this.#terminated) this.checkOpen();
    if (isAsync(task)) publishPart('coroutines');
    const invocations = this.#start();
    this.#inFlight.begun();
    try {
      return (await invocations.submit(task, options, dependencies, worker)) as T;
    } finally {
      this.#inFlight.ended();
    }
  }

  /**
   * Counts a call that submits one task after the other as one that is in flight, until the function that it returns is called. Its tasks
   * say so (`held`): they run in a pool that is being closed, too, and `maxQueue` counts the first of them alone. For algorithms. @internal
   *
   * @param terminated called when the pool is terminated; nothing else of the call may be submitted then
   * @throws RejectedExecutionError when the pool is closed, or as many invocations wait as may
   */
  hold(terminated: (error: unknown) => void): () => void {
    this.checkOpen();
    if (this.#settings.maxQueue !== Number.POSITIVE_INFINITY) this.#live().requireRoom();
    return this.#inFlight.hold(terminated);
  }

  /**
   * Starts the workers for a call that its caller still prepares: they need longer to come up. For algorithms. @internal
   *
   * @param callerComputes whether the caller is one of the call's threads
   * @throws RejectedExecutionError when the pool is closed; what `createWorker` throws
   */
  startEarly(callerComputes: boolean): void {
    this.checkOpen();
    if (this.#current?.group.started === true || this.#needsNoWorker(callerComputes)) return;
    this.#start();
    if (this.#inFlight.isEmpty) this.#retireLater(); // the call may fail before it submits anything
  }

  /** One thread needs no worker if the caller is that thread. */
  #needsNoWorker(callerComputes: boolean): boolean {
    return callerComputes && this.parallelism === 1;
  }

  /** Runs `body` on this thread's slot. For algorithms. @internal */
  computeHere<T>(what: string, body: () => T): T {
    this.checkOpen();
    const { group } = this.#needsNoWorker(true) ? this.#live() : this.#start();
    if (this.#inFlight.isEmpty && group.started) this.#retireLater();
    return runOnCaller(group, this, what, body);
  }

  /** How long cancelled work may go on, in milliseconds. For algorithms. @internal */
  get graceMs(): number {
    return this.#settings.graceMs;
  }

  /** For algorithms. @internal */
  get checked(): boolean {
    return this.#settings.checked;
  }

  /** The task that `call` is given, as a task object or as a forkable function with its arguments; checked. */
  #taskOf(call: string, work: unknown, args: unknown[]): ForkJoinTask<unknown> {
    const task = rootTask(call, work, args);
    if (!isCallTask(task)) registrationOf(task); // throws where workers could not find its class
    this.checkOpen();
    return task;
  }

  /** @throws RejectedExecutionError when the pool is closed. @internal */
  checkOpen(): void {
    if (!this.#closed) return;
    throw new RejectedExecutionError(`furcate: pool '${this.name}' is closed, and takes no more work.`);
  }

  /** The worker group that the next call runs on. */
  #live(): Invocations {
    if (this.#current === undefined || this.#current.group.memory.hasCrashed) {
      const made: Invocations = new Invocations(new WorkerGroup(this.#settings, (crash) => this.#crashed(made, crash)));
      this.#current = made;
    }
    return this.#current;
  }

  /** As `#live`, with its workers started. */
  #start(): Invocations {
    const live = this.#live();
    try {
      live.group.start();
    } catch (error) {
      void this.#endGroup('kill');
      throw error;
    }
    return live;
  }

  #crashed(invocations: Invocations, crash: Crash): void {
    this.#stats.add(invocations.group);
    if (this.#current === invocations) this.#current = undefined;
    invocations.abandonAll(crash);
    if (!crash.isReported) host().warn(crashWarning(crash, this.name));
  }

  /**
   * The workers have just been used, and end after `keepAliveMs` without a call. Setting a timer anew would take a fifth of a
   * short `invokeSync`, so calls leave a mark only, and a timer that finds the mark starts again.
   */
  #retireLater(): void {
    const { keepAliveMs } = this.#settings;
    this.#usedLately = true;
    if (this.#closed || this.#stopRetirement !== undefined || keepAliveMs > MAX_TIMER_MS) return;
    this.#usedLately = false;
    this.#stopRetirement = host().backgroundTimer(keepAliveMs, () => {
      this.#stopRetirement = undefined;
      if (this.#current?.group.isInUse) return; // the call that uses the workers calls this again
      if (this.#usedLately) this.#retireLater();
      else void this.#endGroup('stop');
    });
  }

  async #endGroup(how: 'stop' | 'kill'): Promise<void> {
    this.#stopRetirement?.();
    this.#stopRetirement = undefined;
    const group = this.#current?.group;
    if (group !== undefined) {
      this.#current = undefined;
      this.#stats.add(group);
      const ended = group[how]().finally(() => this.#ending.delete(ended));
      this.#ending.add(ended);
    }
    await Promise.all(this.#ending);
  }
}
