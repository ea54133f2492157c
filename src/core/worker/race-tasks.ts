/** The tasks that `invokeAny` takes and the errors that it throws, of a pool as of a scope; runs on the thread that calls. */
import { registrationOf } from '../code/registry.js';
import { CancellationError, refuseRevoked, show } from '../errors.js';
import { isCallTask } from '../task/call-task.js';
import type { ForkJoinTask } from '../task/fork-join-task.js';
import { requireFresh, taskOf } from './scheduler.js';

/**
 * The tasks that `call` is given; checked.
 *
 * @throws TypeError for what is no list of different tasks; what a task that cannot be started throws
 */
export function raceTasks(call: string, given: unknown): ForkJoinTask<unknown>[] {
  refuseRevoked(given, `what ${call}() was given`);
  if (!Array.isArray(given) || given.length === 0)
    throw new TypeError(
      `furcate: ${call}() takes an array of at least one task; it was given ${Array.isArray(given) ? 'an empty one' : show(given)}.`,
    );
  const tasks = given.map((work: unknown) => taskOf(call, work, []));
  if (new Set(tasks).size < tasks.length)
    throw new TypeError(`furcate: ${call}() was given one task twice. Each runs once: make another one.`);
  for (const task of tasks) {
    requireFresh(call, task);
    if (!isCallTask(task)) registrationOf(task); // throws where workers could not find its class
  }
  return tasks;
}

/** The error that the losers are told. */
export const lost = (): CancellationError =>
  new CancellationError('furcate: another task of the same invokeAny() has succeeded.', { reason: 'race' });

/** Error for a race in which no task has won. @param errors of all, in the order of the tasks */
export const noneSucceeded = (errors: readonly unknown[]): AggregateError =>
  new AggregateError(errors, `furcate: all ${errors.length} tasks of invokeAny() have failed.`);
