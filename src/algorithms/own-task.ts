/**
 * Tasks of the algorithms themselves: functions that every realm has from the start; runs on every thread.
 */
import { builtin } from '../core/code/registry.js';
import type { Forkable } from '../core/task/function-task.js';

/** Makes a function of the library forkable, under a name that no other one has. */
export function ownTask<A extends unknown[], R>(name: string, fn: (...args: A) => R): Forkable<A, R> {
  return builtin(name, fn as (...args: never) => unknown) as unknown as Forkable<A, R>;
}
