/** Runs tasks on the caller, one after the other, as users have it: as the oracle in tests, and for programs without threads. */
import type { AnyForkable, AnyTask, ArgumentsAfter, ResultOf, SyncWork } from '../task/async-task.js';
import { type ForkJoinTask, runTask } from '../task/fork-join-task.js';
import { raceTasks } from '../worker/race-tasks.js';
import { isInTask, refuseAsync, rootTask } from '../worker/scheduler.js';
import { CallingThread } from './calling-thread.js';
import { type Executor, type Invoker, invokerWith, limitedInvoke, provideCore } from './executor.js';
import { invokeAny } from './invoke-any.js';
import { type InvokeOptions, invokeOptions, poolSettings } from './options.js';

/**
 * Runs tasks one after the other on the thread that calls, as a pool would run them: to compare with, and for programs that must not start
 * threads. Algorithms take it as their option `pool`. Their promise forms give the event loop a turn every 4 ms.
 *
 * @example
 * const executor = new SequentialExecutor();
 * await parallelReduce(xs, 'sum', { pool: executor });
 */
export class SequentialExecutor implements Executor {
  readonly name = 'sequential';
  readonly parallelism = 1;
  readonly #core = new CallingThread(poolSettings({ parallelism: 1, name: 'sequential' }), this, 'the executor');

  constructor() {
    provideCore(this, this.#core);
  }

  /**
   * Runs a task, or a call of a forkable function, to its end.
   *
   * @returns its result
   * @throws what it threw; RejectedExecutionError once the executor is closed
   */
  invokeSync<W extends SyncWork>(work: W, ...args: ArgumentsAfter<W>): ResultOf<W>;
  invokeSync(work: unknown, ...args: unknown[]): unknown {
    const task = rootTask('invokeSync', work, args);
    refuseAsync('invokeSync()', task);
    return this.#core.computeHere('', () => runTask(task));
  }

  /**
   * As `invokeSync`, but returns a promise. A synchronous task has ended before the promise is returned.
   *
   * @param options for a task: those of a pool. `signal`, `timeoutMs` and `graceMs` end an asynchronous task. A synchronous one looks at the
   *   clock at its forks and checkpoints. Reports arrive before the promise settles: those of a synchronous task when it has ended
   */
  invoke<W extends AnyTask | AnyForkable>(
    work: W,
    ...rest: ArgumentsAfter<W, [options?: InvokeOptions | undefined]>
  ): Promise<ResultOf<W>>;
  async invoke(work: unknown, ...args: unknown[]): Promise<unknown> {
    const task = rootTask('invoke', work, args);
    return this.#submit(task, typeof work === 'function' ? {} : invokeOptions(args[0]));
  }

  /** As `invokeAny` of a pool. The tasks run one after the other, until one succeeds; asynchronous ones beside each other. */
  async invokeAny<const Tasks extends readonly AnyTask[]>(
    tasks: Tasks,
    options?: InvokeOptions,
  ): Promise<ResultOf<Tasks[number]>> {
    if (isInTask())
      throw new Error('furcate: invokeAny() inside a task. In an asynchronous task, use await scope.invokeAny().');
    const all = raceTasks('invokeAny', tasks);
    const checked = invokeOptions(options);
    this.#core.checkOpen();
    return invokeAny(this, all, checked) as Promise<ResultOf<Tasks[number]>>;
  }

  /** As `with` of a pool. @throws TypeError or RangeError naming the option */
  with(options: InvokeOptions): Invoker {
    return invokerWith(options, async (work, args, checked) => this.#submit(rootTask('invoke', work, args), checked));
  }

  #submit(task: ForkJoinTask<unknown>, options: InvokeOptions): Promise<unknown> {
    this.#core.checkOpen();
    return limitedInvoke(options)?.invoke(this, task, options) ?? this.#core.submit(task, options);
  }

  /** Takes no more work; resolves when the promises of all calls in flight have settled. */
  async close(): Promise<void> {
    await this.#core.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
