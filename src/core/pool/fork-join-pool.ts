/** The pool as users see it; runs on the thread that makes it. */

import { guardMainModule } from '../code/main-module.js';
import { registrationOf } from '../code/registry.js';
import { refuseRevoked, show } from '../errors.js';
import { milliseconds } from '../options.js';
import { host } from '../platform/host.js';
import type { AnyForkable, AnyTask, ArgumentsAfter, ArgumentsOf, ResultOf, SyncWork } from '../task/async-task.js';
import { isCallTask } from '../task/call-task.js';
import { type ForkJoinTask, nameOf, runTask } from '../task/fork-join-task.js';
import { asyncIndexOf, indexOf } from '../task/function-task.js';
import { callOf } from '../task/with-context.js';
import { raceTasks } from '../worker/race-tasks.js';
import { isInTask, refuseAsync, rootTask } from '../worker/scheduler.js';
import { type Executor, type Invoker, invokerWith, limitedInvoke, provideCore } from './executor.js';
import { invokeAny } from './invoke-any.js';
import { type ForkJoinPoolOptions, type InvokeOptions, invokeOptions, poolSettings } from './options.js';
import type { OwnerCore } from './owner-core.js';
import { PoolCore } from './pool-core.js';
import { abortError } from './signal.js';
import type { Stats } from './stats.js';
import { PoolWithoutThreads, threadsAvailable } from './without-threads.js';

/** Settings as a text, to compare them. */
const textOf = (settings: object): string =>
  JSON.stringify(settings, (_key, value) => (typeof value === 'object' ? value : String(value)));

/** The options of the common pool. The constructor refuses what is not an object. */
function commonOptions(given: ForkJoinPoolOptions = {}): ForkJoinPoolOptions {
  refuseRevoked(given, 'what was given as the options of configureCommonPool()');
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
export class ForkJoinPool implements Executor {
  static #common: ForkJoinPool | undefined;
  readonly #core: OwnerCore;

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
    const settings = poolSettings(options);
    this.#core = threadsAvailable()
      ? new PoolCore(settings, this)
      : new PoolWithoutThreads({ ...settings, parallelism: 1 }, this, `pool '${settings.name}'`);
    provideCore(this, this.#core);
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
      if (textOf(pool.#core.settings) === textOf(ForkJoinPool.#common.#core.settings)) return;
      throw new Error(
        'furcate: ForkJoinPool.configureCommonPool() comes too late: the common pool is in use, or was configured before. ' +
          'Call it once, before the first algorithm without a pool and the first commonPool().',
      );
    }
    ForkJoinPool.#common = pool;
  }

  /** Threads that compute: under `invoke` all are workers, under `invokeSync` the caller is one of them. */
  get parallelism(): number {
    return this.#core.settings.parallelism;
  }

  get name(): string {
    return this.#core.settings.name;
  }

  /** True once the pool has been closed or terminated. */
  get isClosed(): boolean {
    return this.#core.isClosed;
  }

  /**
   * Runs a task, or a call of a forkable function, on the workers; the event loop stays free. Both may be asynchronous.
   *
   * @param work a task that was never forked; or a function made with `forkable`, and its arguments
   * @param rest for a function its arguments; for a task `{ signal, timeoutMs, graceMs, priority, carry, onReport, limit }`
   * @returns its result. Rejects with what it threw; a CancellationError (an `AbortError` where the signal did it) once
   *   nothing of it runs any more; a WorkerCrashError when a worker died; a RejectedExecutionError when the pool is closed, or
   *   as many invocations wait as `maxQueue` allows; a TypeError for bad arguments
   */
  invoke<W extends AnyTask | AnyForkable>(
    work: W,
    ...rest: ArgumentsAfter<W, [options?: InvokeOptions | undefined]>
  ): Promise<ResultOf<W>>;
  async invoke(work: unknown, ...rest: unknown[]): Promise<unknown> {
    const task = this.#taskOf('invoke', work, rest);
    return this.#submit(task, typeof work === 'function' ? {} : invokeOptions(rest[0]));
  }

  /**
   * Runs tasks beside each other, and gives the result of the first that succeeds. The others are cancelled: those that have not begun never do,
   * those that run stop at their next fork, join or `checkpoint()`, and the signals of asynchronous ones abort. The promise settles when they have
   * stopped.
   *
   * @param tasks tasks that were never forked: `[task(rough, xs), task(exact, xs)]`
   * @param options `{ signal, timeoutMs, graceMs, priority, carry, onReport, limit }` of the whole call. What has not stopped `graceMs` after it was
   *   cancelled ends with its workers
   * @returns the result of the first that succeeds. Rejects with an AggregateError, whose `errors` are in the order of the tasks, if all fail;
   *   otherwise as `invoke`
   */
  async invokeAny<const Tasks extends readonly AnyTask[]>(
    tasks: Tasks,
    options?: InvokeOptions,
  ): Promise<ResultOf<Tasks[number]>> {
    refuseInTask('pool.invokeAny()', 'In an asynchronous task, use await scope.invokeAny(). Others fork() and join().');
    const all = raceTasks('invokeAny', tasks);
    const checked = invokeOptions(options);
    this.#core.checkOpen();
    if (checked.signal?.aborted === true) throw abortError(checked.signal);
    return invokeAny(this, all, checked) as Promise<ResultOf<Tasks[number]>>;
  }

  /**
   * Options for invocations, of functions too: `pool.with({ timeoutMs: 1_000 }).invoke(fn, ...args)`. What it returns may invoke many times;
   * a time-out counts from each call.
   *
   * @param options `{ signal, timeoutMs, graceMs, priority, carry, onReport, limit }`, copied and checked at once
   * @returns an object whose `invoke` is that of the pool, with these options
   * @throws TypeError or RangeError naming the option
   * @example
   * const urgent = pool.with({ priority: 'high', timeoutMs: 10_000 });
   * const sorted = await urgent.invoke(sortWords, words); // => ['fork', 'join', 'steal']
   */
  with(options: InvokeOptions): Invoker {
    return invokerWith(options, async (work, args, checked) =>
      this.#submit(this.#taskOf('invoke', work, args), checked),
    );
  }

  #submit(task: ForkJoinTask<unknown>, options: InvokeOptions): Promise<unknown> {
    if (options.signal?.aborted === true) throw abortError(options.signal);
    return limitedInvoke(options)?.invoke(this, task, options) ?? this.#core.submit(task, options, 0);
  }

  /**
   * Runs a call of a forkable function once on every worker, each as soon as its worker has nothing else on its stack: to warm up what each
   * worker keeps by itself (`workerLocal`, modules, caches), or to ask each for something. `maxQueue` does not count it.
   *
   * @param fn a function made with `forkable` or `asyncForkable`
   * @param args its arguments, which each worker gets for itself
   * @returns the results, of worker 1 first. When all have ended, rejects with the failure of the first worker that failed; otherwise as `invoke`
   * @example
   * const dictionary = workerLocal(() => loadDictionary()); // in a module with tasks, and this beside it:
   * export const warmUp = forkable(import.meta.url, 'warmUp', () => dictionary.get().size);
   * // elsewhere: await pool.broadcast(warmUp)
   */
  broadcast<F extends AnyForkable>(fn: F, ...args: ArgumentsOf<F>): Promise<ResultOf<F>[]>;
  async broadcast(fn: unknown, ...args: unknown[]): Promise<unknown[]> {
    refuseRevoked(fn, 'what broadcast() was given');
    const [of] = callOf(fn, args);
    if (indexOf(of) === undefined && asyncIndexOf(of) === undefined) {
      throw new TypeError(
        `furcate: broadcast() takes a function made with forkable() or asyncForkable(), and its arguments; it was given ${show(fn)}.`,
      );
    }
    const tasks = Array.from({ length: this.parallelism }, () => this.#taskOf('broadcast', fn, args));
    const outcomes = await Promise.allSettled(tasks.map((task, k) => this.#core.submit(task, {}, 0, k + 1)));
    return outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
  }

  /**
   * Runs a task, or a call of a forkable function, and blocks until it is done; the caller computes too.
   *
   * @param work a task that was never forked, or a function made with `forkable`
   * @param args for a function its arguments
   * @returns its result
   * @throws what it threw; as `invoke` otherwise, and an Error on a thread that must not block (a browser's main thread)
   */
  invokeSync<W extends SyncWork>(work: W, ...args: ArgumentsAfter<W>): ResultOf<W>;
  invokeSync(work: unknown, ...args: unknown[]): unknown {
    const task = this.#taskOf('invokeSync', work, args);
    refuseAsync('invokeSync()', task);
    if (!host().mayBlock()) {
      throw new Error('furcate: invokeSync() on a thread that must not block. Use await pool.invoke() here.');
    }
    // In checked mode the root, too, runs as if it were stolen.
    const body = this.#core.settings.checked ? () => task.fork().join() : () => runTask(task);
    return this.#core.computeHere(nameOf(task), body);
  }

  /** Starts the workers now; resolves when all are up. */
  ready(): Promise<void> {
    return this.#core.ready();
  }

  /** Returns what the workers have done so far, as counts since the pool was made. */
  stats(): Stats {
    return this.#core.stats();
  }

  /**
   * Waits until nothing is in flight.
   *
   * @param ms how long at most; without it as long as it takes
   * @returns true if it became quiet, false when the time was up first
   */
  async awaitQuiescence(ms?: number): Promise<boolean> {
    if (ms !== undefined) milliseconds(ms, 'ms');
    return this.#core.awaitQuiescence(ms);
  }

  /** Takes no more work, finishes what is in flight, and ends the workers. The common pool stays open. */
  async close(): Promise<void> {
    if (this === ForkJoinPool.#common) return;
    await this.#core.close();
  }

  /** Takes no more work and ends the workers at once; what is in flight rejects with a CancellationError. */
  async terminate(): Promise<void> {
    if (this === ForkJoinPool.#common) return;
    await this.#core.terminate();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The task that `call` is given, as a task object or as a forkable function with its arguments; checked. */
  #taskOf(call: string, work: unknown, args: unknown[]): ForkJoinTask<unknown> {
    const task = rootTask(call, work, args);
    if (!isCallTask(task)) registrationOf(task); // throws where workers could not find its class
    this.#core.checkOpen();
    return task;
  }
}
