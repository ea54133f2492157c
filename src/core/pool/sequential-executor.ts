/**
 * Runs tasks on the caller, one after the other: as the oracle in tests, and where there are no threads. Tasks and joins are those
 * of a pool, but there is no worker group, there are no records, and nothing is published.
 */
import { CancellationError, RejectedExecutionError } from '../errors.js';
import { type AsyncForkable, type AsyncTask, isAsync } from '../task/async-task.js';
import { type ForkJoinTask, runTask } from '../task/fork-join-task.js';
import type { Forkable } from '../task/function-task.js';
import { attach, enter, leave } from '../worker/activation.js';
import { moments } from '../worker/extension.js';
import { after } from '../worker/grace.js';
import { refuseAsync, rootTask } from '../worker/scheduler.js';
import { SEQUENTIAL } from '../worker/worker-slot.js';
import { type Executor, type ExecutorCore, type Invoker, invokerWith, provideCore } from './executor.js';
import { InFlight } from './in-flight.js';
import { type InvokeOptions, invokeOptions } from './options.js';
import { abortError, watchSignal } from './signal.js';

/** Has `cancel` called when a signal aborts, or the time is up; returns a function that ends that. */
function watch({ signal, timeoutMs }: InvokeOptions, cancel: (error: unknown) => void): () => void {
  const stopTimer = after(timeoutMs ?? Number.POSITIVE_INFINITY, () =>
    cancel(new CancellationError('furcate: the invocation took longer than timeoutMs.', { reason: 'timeout' })),
  );
  const stop = signal && watchSignal(signal, cancel);
  return () => {
    stopTimer();
    stop?.();
  };
}

/** The executor as the library itself uses it. */
class CallingThread implements ExecutorCore {
  readonly settings = { checked: false, graceMs: Number.POSITIVE_INFINITY };
  readonly #executor: SequentialExecutor;
  readonly #inFlight = new InFlight(() => {});
  #isClosed = false;

  constructor(executor: SequentialExecutor) {
    this.#executor = executor;
  }

  checkOpen(): void {
    if (this.#isClosed) throw new RejectedExecutionError('furcate: the executor is closed, and takes no more work.');
  }

  startEarly(): void {}

  async submit<T>(task: ForkJoinTask<T>, options: InvokeOptions): Promise<T> {
    this.#inFlight.begun();
    try {
      if (options.signal?.aborted === true) throw abortError(options.signal);
      if (!isAsync(task)) return this.computeHere('', () => runTask(task)) as T; // it has ended before anything could cancel it
      return (await moments.alone(task, this.#executor, (cancel) => watch(options, cancel))) as T;
    } finally {
      this.#inFlight.ended();
    }
  }

  hold(terminated: (error: unknown) => void): () => void {
    this.checkOpen();
    return this.#inFlight.hold(terminated);
  }

  computeHere<T>(_what: string, body: () => T): T {
    const below = enter(null, this.#executor);
    attach(null, SEQUENTIAL, 0);
    try {
      return body();
    } finally {
      leave(below);
    }
  }

  close(): Promise<unknown> {
    this.#isClosed = true;
    return this.#inFlight.whenEmpty(Number.POSITIVE_INFINITY);
  }
}

/**
 * Runs tasks one after the other on the thread that calls, as a pool would run them: to compare with, and for programs that must not start
 * threads. Algorithms take it as their option `pool`.
 *
 * @example
 * const executor = new SequentialExecutor();
 * await parallelReduce(xs, 'sum', { pool: executor });
 */
export class SequentialExecutor implements Executor {
  readonly name = 'sequential';
  readonly parallelism = 1;
  readonly #core = new CallingThread(this);

  constructor() {
    provideCore(this, this.#core);
  }

  /**
   * Runs a task, or a call of a forkable function, to its end.
   *
   * @returns its result
   * @throws what it threw; RejectedExecutionError once the executor is closed
   */
  invokeSync<T>(task: ForkJoinTask<T>): T;
  invokeSync<A extends unknown[], R>(fn: Forkable<A, R>, ...args: A): R;
  invokeSync(work: unknown, ...args: unknown[]): unknown {
    const task = rootTask('invokeSync', work, args);
    refuseAsync('invokeSync()', task);
    this.#core.checkOpen();
    return this.#core.computeHere('', () => runTask(task));
  }

  /**
   * As `invokeSync`, but returns a promise. A synchronous task has ended before the promise is returned.
   *
   * @param options for a task: those of a pool. `signal` and `timeoutMs` cancel an asynchronous task; nothing else can be in the way of a task
   *   here, so the others change nothing, and reports go nowhere
   */
  invoke<T>(task: ForkJoinTask<T> | AsyncTask<T>, options?: InvokeOptions): Promise<T>;
  invoke<A extends unknown[], R>(fn: AsyncForkable<A, R>, ...args: A): Promise<R>;
  invoke<A extends unknown[], R>(fn: Forkable<A, R>, ...args: A): Promise<R>;
  async invoke(work: unknown, ...args: unknown[]): Promise<unknown> {
    const task = rootTask('invoke', work, args);
    return this.#submit(task, typeof work === 'function' ? {} : invokeOptions(args[0]));
  }

  /** As `with` of a pool. @throws TypeError or RangeError naming the option */
  with(options: InvokeOptions): Invoker {
    return invokerWith(options, async (work, args, checked) => this.#submit(rootTask('invoke', work, args), checked));
  }

  #submit(task: ForkJoinTask<unknown>, options: InvokeOptions): Promise<unknown> {
    this.#core.checkOpen();
    return this.#core.submit(task, options);
  }

  /** Takes no more work; resolves when the asynchronous tasks in flight have ended. */
  async close(): Promise<void> {
    await this.#core.close();
  }
}
