/**
 * Tasks that can be split, as clients and hosts see them: what the parts of a task are, and the paths that name them.
 *
 * A path begins at a task and has `-k` for part number k of each node on the way. Clients and hosts cut the same task in the same way, so a path
 * names the same part on each of them.
 */
import type { ForkJoinTask } from 'furcate';
import { show } from '../core/show.js';
import { disown, identityOf, isTask, nameOf } from './library.js';
import { canonicalBytes, digestOfData } from './link/identity.js';
import { noPromise } from './no-promise.js';

/** A task that hosts can share: it can say what smaller tasks it consists of. */
export interface SplittableTask<T> extends ForkJoinTask<T> {
  /** The tasks that make up this one; undefined where it is small enough for one host. It changes nothing of this task. */
  split(): readonly ForkJoinTask<T>[] | undefined;
  /** The result, of the results of those tasks, in their order. */
  combine(results: T[]): T;
}

export const isSplittable = (task: unknown): task is SplittableTask<unknown> =>
  isTask(task) &&
  typeof (task as { readonly split?: unknown }).split === 'function' &&
  typeof (task as { readonly combine?: unknown }).combine === 'function';

/** The parts of a task; undefined where it has none. @throws what `split` throws; TypeError for what it must not return */
export function partsOf(task: ForkJoinTask<unknown>): readonly ForkJoinTask<unknown>[] | undefined {
  if (!isSplittable(task)) return undefined;
  const parts: unknown = task.split();
  if (parts === undefined) return undefined;
  disown(parts); // nobody awaits it, where it is a promise
  if (Array.isArray(parts) && parts.length > 0 && parts.every(isTask)) {
    if (parts.length === 1) checkProgress(task, parts[0] as ForkJoinTask<unknown>);
    return parts;
  }
  throw new TypeError(
    `furcate: split() of ${nameOf(task)} must return an array of tasks, or undefined where the task is small enough; it returned ${Array.isArray(parts) ? `${parts.length === 0 ? 'no' : 'other'} values` : show(parts)}.`,
  );
}

/** @throws TypeError for a task whose only part is the task again: it would be split without end */
function checkProgress(task: ForkJoinTask<unknown>, part: ForkJoinTask<unknown>): void {
  if (part !== task && Buffer.compare(wholeBytes(part), wholeBytes(task)) !== 0) return;
  throw new TypeError(
    `furcate: split() of ${nameOf(task)} returned the same task again. Return smaller tasks, or undefined where the task is small enough.`,
  );
}

const wholeBytes = (task: ForkJoinTask<unknown>): Uint8Array => canonicalBytes(identityOf(task));

/** The result of a task that was split, of the results of its parts. @throws what `combine` throws; TypeError where it returns a promise */
export const combined = (task: ForkJoinTask<unknown>, results: unknown[]): unknown =>
  noPromise((task as SplittableTask<unknown>).combine(results), `combine() of ${nameOf(task)}`);

/** Tells a node from others, by its class and fields; of arrays by their lengths. Empty for a task that could be no job. */
export function nodeDigest(task: ForkJoinTask<unknown>): string {
  try {
    return digestOfData(identityOf(task, { arrays: 'lengths' }));
  } catch {
    return ''; // it runs where it is, or its job fails with the reason
  }
}
