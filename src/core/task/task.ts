/** `task`: a call as a task object, for options and for lists of tasks. */
import { refuseRevoked } from '../errors.js';
import type { AnyForkable, ArgumentsOf, AsyncForkableMark, AsyncTask, ResultOf } from './async-task.js';
import { CallTask } from './call-task.js';
import type { ForkJoinTask } from './fork-join-task.js';
import { asyncIndexOf, indexOf } from './function-task.js';
import { callOf } from './with-context.js';

/**
 * Makes a task object of a forkable function and its arguments.
 *
 * @param fn a function made with `forkable` or `asyncForkable`
 * @param args its arguments: numbers, data that can be cloned, and shared arrays
 * @returns a task that was not started, for `pool.invoke` with options, `parallelInvoke` and `invokeAll`
 * @throws TypeError when `fn` was not made with either of them
 * @example
 * const sorted = await pool.invoke(task(sortWords, words), { timeoutMs: 10_000 }); // => ['fork', 'join', 'steal']
 */
export function task<F extends AnyForkable>(
  fn: F,
  ...args: ArgumentsOf<F>
): F extends AsyncForkableMark ? AsyncTask<ResultOf<F>> : ForkJoinTask<ResultOf<F>>;
export function task(fn: unknown, ...args: unknown[]): unknown {
  refuseRevoked(fn, 'fn of task(fn, ...args)');
  const [of, all] = callOf(fn, args);
  const index = indexOf(of) ?? asyncIndexOf(of);
  if (index === undefined) {
    throw new TypeError(
      'furcate: task() takes a function made with forkable(import.meta.url, name, fn), and its arguments.',
    );
  }
  return new CallTask(index, all);
}
