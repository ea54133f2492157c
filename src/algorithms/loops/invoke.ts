/**
 * `parallelInvoke`: some tasks of any kind, run together; the calls run on the caller, the tasks on every thread that
 * computes.
 *
 * Outside of tasks, each task becomes an invocation, because one task object cannot carry others to a worker. Inside a task, and in
 * the Sync form, the tasks are forked as `invokeAll` does.
 */
import {
  type AsyncTask,
  beginCall,
  Call,
  type Callee,
  type CallOptions,
  explainRevoked,
  type ForkJoinTask,
  invokeAll,
  invokeAllSync,
  isExecutor,
  isTask,
  type LimitOption,
  type Scope,
} from '../../core/engine.js';
import { calleesOf } from '../call/algorithm.js';
import { check, readPlainOptions, type SyncOptions } from '../call/options.js';

export interface ParallelInvokeOptions extends Omit<CallOptions, 'onProgress'> {
  /** In an asynchronous task: its scope, which forks the tasks. */
  readonly scope?: Scope | undefined;
  /** Permits that the call has to wait for before it begins, as that of an algorithm: of `limit()` of `furcate/flows`. */
  readonly limit?: LimitOption | undefined;
}

type TaskOfList = ForkJoinTask<unknown> | AsyncTask<unknown>;

/** The results of a list of tasks, each at its place. */
export type ResultsOf<T extends readonly TaskOfList[]> = {
  -readonly [I in keyof T]: T[I] extends ForkJoinTask<infer R> ? R : T[I] extends AsyncTask<infer R> ? R : never;
};

type Tasks = readonly ForkJoinTask<unknown>[];

function checkTasks(name: string, tasks: unknown): Tasks {
  const isList = Array.isArray(tasks);
  check(isList, name, 'tasks', 'an array of tasks', tasks, isTask(tasks) ? ' Write [task].' : '');
  const places = new Map<unknown, number>();
  for (let i = 0; i < tasks.length; i++) {
    const task: unknown = tasks[i];
    const cure = typeof task === 'function' ? ' Write task(fn, ...args) for a call of a forkable.' : '';
    const isOne = isTask(task);
    check(isOne, name, `tasks[${i}]`, 'a task', task, cure);
    const other = places.get(task);
    if (other !== undefined) {
      throw new Error(
        `furcate: ${name}: tasks[${i}] is the same task as tasks[${other}]. A task runs once: make one for each place.`,
      );
    }
    places.set(task, i);
  }
  return [...tasks] as Tasks;
}

const OPTIONS = ['pool', 'signal', 'timeoutMs', 'graceMs', 'priority', 'carry', 'limit', 'scope'];

function readOptions(callee: Callee, options: unknown): Call {
  const { name } = callee;
  const given = readPlainOptions(name, options, OPTIONS, isTask(options) ? ' Write [task, task].' : '');
  const { pool } = given;
  check(pool === undefined || isExecutor(pool), name, 'options.pool', 'a ForkJoinPool or SequentialExecutor', pool);
  return Call.admit(given as CallOptions, callee);
}

const { promise: PROMISE, sync: SYNC } = calleesOf('parallelInvoke');

/**
 * Runs tasks together, and waits for all of them.
 *
 * @param tasks any tasks that were not started yet, synchronous or asynchronous: `new Fib(20)`, `task(fn, ...args)`
 * @param options `pool`, or in an asynchronous task its `scope`; `signal`, which cancels all; `timeoutMs`, after which they are
 *   cancelled; `graceMs`, how long they may then go on before their workers are ended; `priority`, `carry`, `limit`
 * @returns a promise of their results, in the order of the tasks; of none, []
 * @throws (rejects with) TypeError, RangeError for bad arguments, Error for a task that was started before or is given
 *   twice, before any is started; when all are done, what the first of the failed ones in the list threw;
 *   CancellationError (`AbortError`) once `signal` is aborted, or when the time is up, and nothing runs any more
 * @remarks Cost: a round trip to a worker for all together, and about 10 us a task; with n tasks that fork further, use fewer.
 * @example
 * const [primes, sorted] = await parallelInvoke([new CountPrimes(1e7), task(sortWords, words)]);
 */
export function parallelInvoke<const T extends readonly TaskOfList[]>(
  tasks: T,
  options?: ParallelInvokeOptions,
): Promise<ResultsOf<T>> {
  let all: Tasks | undefined;
  const check = () => {
    all ??= checkTasks(PROMISE.name, tasks); // as they are at the call, which may wait for permits
    return [all, readOptions(PROMISE, options), PROMISE] as const;
  };
  const act = async (leaving: () => void): Promise<ResultsOf<T>> => {
    leaving();
    return invokeAll(...check()) as Promise<ResultsOf<T>>;
  };
  return beginCall(PROMISE.name, [tasks, options], parallelInvoke, act, check).promise;
}

/**
 * `parallelInvoke` that returns the results themselves. Inside a task it forks the tasks on the worker that calls it;
 * elsewhere the caller works too, and blocks.
 *
 * @param tasks as for `parallelInvoke`
 * @param options `pool`; a `signal` that is aborted already is refused, as by every Sync form
 * @returns what the promise of `parallelInvoke` gives
 * @throws what `parallelInvoke` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: a fork and a join for each task; outside of tasks, that of `pool.invokeSync`.
 * @example
 * const [left, right] = parallelInvokeSync([new Fib(30), new Fib(31)]);
 */
export function parallelInvokeSync<const T extends readonly ForkJoinTask<unknown>[]>(
  tasks: T,
  options?: ParallelInvokeOptions & SyncOptions,
): ResultsOf<T> {
  try {
    return invokeAllSync(checkTasks(SYNC.name, tasks), readOptions(SYNC, options), SYNC) as ResultsOf<T>;
  } catch (error) {
    throw explainRevoked(error, SYNC.name, [tasks, options]);
  }
}
