/** Values on their way to workers and back, in parcels; runs on every thread. */
import { bytesAt, Parcel, pack } from '../core/engine.js';

/** Where the packed values of a task are: on the shared heap, and freed by the caller. */
export type Place = readonly [at: number, length: number, isMarked: boolean];

export const valuesAt = ([at, length, isMarked]: Place): unknown[] =>
  new Parcel(bytesAt(at, length).slice(), isMarked).open();

/** What a task tells of its values, whether it has failed after them being the last thing. */
type Head = [...unknown[], hasFailed: boolean];

/** What a task answers. */
export interface Answer<H extends Head> {
  readonly head: H;
  readonly values: unknown[];
  /** What the task has failed with after these values. */
  readonly failed: { readonly error: unknown } | undefined;
}

/** @throws TaskRegistrationError where the class of a value is not loaded on this thread */
export function answerIn<H extends Head>(parcel: Parcel): Answer<H> {
  const [head, ...values] = parcel.open() as [H, ...unknown[]];
  return { head, values, failed: head[head.length - 1] === true ? { error: values.pop() } : undefined };
}

/**
 * Packs an answer.
 *
 * @param nameOf names a value in errors
 * @throws NotShareableError that names the value which cannot be cloned
 */
export function answerOf(
  head: readonly unknown[],
  values: readonly unknown[],
  nameOf: (k: number) => string,
  failed?: { readonly error: unknown },
): Parcel {
  const all = [[...head, failed !== undefined], ...values];
  if (failed !== undefined) all.push(failed.error);
  return pack(all, (k) => nameOf(k - 1), undefined, failed && 'thrown');
}
