/** Executors: what runs tasks, as users have it, and what the library asks of it; on the thread that calls. */
import type { AnyForkable, AnyTask, ArgumentsAfter, ResultOf } from '../task/async-task.js';
import type { ForkJoinTask } from '../task/fork-join-task.js';
import { type InvokeOptions, type PoolSettings, type SubmitOptions, withOptions } from './options.js';
import { firstOf, type LimitOption } from './permits.js';
import type { CallSignal } from './signal.js';

/** Result of an executor's `with`: it runs tasks and functions, with the same options each time. */
export interface Invoker {
  /** Runs a task, or a call of a forkable function. */
  invoke<W extends AnyTask | AnyForkable>(work: W, ...args: ArgumentsAfter<W>): Promise<ResultOf<W>>;
}

/** Runs tasks: a pool, or a `SequentialExecutor`. Algorithms take any as their option `pool`. */
export interface Executor {
  /** Appears in errors. */
  readonly name: string;
  /** Threads that compute. */
  readonly parallelism: number;
  /** Runs a task, or a call of a forkable function. */
  invoke<W extends AnyTask | AnyForkable>(
    work: W,
    ...rest: ArgumentsAfter<W, [options?: InvokeOptions | undefined]>
  ): Promise<ResultOf<W>>;
  /** Runs tasks beside each other, gives the result of the first that succeeds, and cancels the others. */
  invokeAny<const Tasks extends readonly AnyTask[]>(
    tasks: Tasks,
    options?: InvokeOptions,
  ): Promise<ResultOf<Tasks[number]>>;
  /** Gives an `invoke` that runs everything with these options. */
  with(options: InvokeOptions): Invoker;
  /** Takes no more work; resolves when all that it has taken is done. */
  close(): Promise<void>;
}

/** Internal interface by which calls of the library get to run on an executor. */
export interface ExecutorCore {
  readonly settings: Pick<PoolSettings, 'checked' | 'graceMs'> & Partial<Pick<PoolSettings, 'trace'>>;
  /** True if a synchronous task has ended when `submit` returns its promise. */
  readonly runsHere?: boolean;
  /** Number of elements that an algorithm without a `threshold` does at once; by default the clock decides. User's code runs in tasks only then. */
  readonly chunkElements?: number;
  /** Number of tasks in flight, and of calls that submit many. */
  readonly inFlight: number;
  /** @throws RejectedExecutionError when it takes no more work */
  checkOpen(): void;
  /** Starts threads for a call that its caller still prepares. @param callerComputes whether the caller is one of the call's threads */
  startEarly(callerComputes: boolean): void;
  /** Runs a checked task; the promise settles once nothing of it runs any more. @param worker the one that is to run it; 0 for any */
  submit<T>(task: ForkJoinTask<T>, options: SubmitOptions, dependencies: number, worker?: number): Promise<T>;
  /**
   * On a thread that must not be blocked for long: runs a job step by step, and gives the event loop a turn every few milliseconds. Undefined
   * where workers run it. The promise settles once nothing of it runs any more.
   */
  inTurns?<R>(steps: Iterator<unknown, R>, options: SubmitOptions): Promise<R>;
  /** Counts a call that submits many tasks, until the function that it returns is called. `terminated` ends the call before. */
  hold(terminated: (error: unknown) => void): () => void;
  /** Runs `body` on this thread, as one that computes. @param what names it in errors */
  computeHere<T>(what: string, body: () => T): T;
}

/** Runs a task, or a call of a function with these arguments. */
type RunWork = (work: unknown, args: unknown[], options: InvokeOptions) => Promise<unknown>;

/** `with` of an executor. @throws TypeError, RangeError naming the option */
export function invokerWith(options: unknown, run: RunWork): Invoker {
  const checked = withOptions(options);
  const invoke = async (work: unknown, ...args: unknown[]): Promise<unknown> => {
    if (typeof work !== 'function' && args.length > 0)
      throw new TypeError(
        'furcate: with(options).invoke(task) takes no further options. Give all to with(), or leave it out: pool.invoke(task, options).',
      );
    return run(work, args, checked);
  };
  return { invoke: invoke as Invoker['invoke'] };
}

/** Interface of a request for permits (`PERMITS`). */
export interface LimitedInvoke {
  /**
   * Runs an invocation when it has all permits that `options.limit` asks for; the promise settles when they are given back. With `options.held`
   * it belongs to a call that holds the executor.
   */
  invoke(executor: Executor, task: ForkJoinTask<unknown>, options: SubmitOptions): Promise<unknown>;
  /**
   * Runs something else when it has all permits that `limit` asks for.
   *
   * @param what names the option in errors
   * @param signal ends the wait; what runs must see it by itself
   */
  run<R>(limit: LimitOption, what: string, start: () => Promise<R>, signal: CallSignal): Promise<R>;
}

/** The way to run an invocation that has to wait for permits first; undefined for others. */
export const limitedInvoke = ({ limit }: InvokeOptions): LimitedInvoke | undefined =>
  limit && (firstOf(limit) as LimitedInvoke);

const cores = new WeakMap<Executor, ExecutorCore>();

/** To be called by the constructor of an executor. */
export function provideCore(executor: Executor, core: ExecutorCore): void {
  cores.set(executor, core);
}

/** Checks whether a value is a pool or another executor of this library. */
export const isExecutor = (value: unknown): value is Executor => cores.has(value as Executor);

/** `chunkElements` of an executor, or of the pool that this thread computes for; 0 if the clock decides. */
export const chunkElementsOf = (executor: object | undefined): number =>
  cores.get(executor as Executor)?.chunkElements ?? 0;

/** @throws TypeError for what is no executor of this library */
export function coreOf(executor: Executor): ExecutorCore {
  const core = cores.get(executor);
  if (core === undefined) throw new TypeError('furcate: this is no executor. Make one: new ForkJoinPool().');
  return core;
}
