/**
 * Lists of plain values as bytes and back; runs on the caller for the values of a chunk, and on workers for its results. They are cloned as
 * clone.ts says.
 */

import { Copier, openData } from '../code/data-copy.js';
import { NotShareableError } from '../errors.js';
import { ofValues } from './clone.js';
import { placeIn, refuseUncloneable } from './uncloneable.js';
import { fromBytes, toBytes } from './values.js';

/** Cloned values. */
export interface Packed {
  readonly bytes: Uint8Array;
  /** Whether marks stand for instances and errors in them. */
  readonly isMarked: boolean;
  /** Numbers of the classes in them: a thread needs these before it unpacks them. */
  readonly codes: ReadonlySet<number>;
}

/**
 * Clones values.
 *
 * @param nameOf names a value in errors: 'value 17'
 * @throws NotShareableError that names the value which cannot be cloned, and its part
 */
export function pack(values: readonly unknown[], nameOf: (k: number) => string): Packed {
  const copier = new Copier();
  const copies = values.map((value, k) => copier.copy(value, ofValues, (path) => placeIn(nameOf(k))(path)));
  const { isMarked, codes } = copier;
  const written = isMarked ? copies : values;
  try {
    return { bytes: toBytes(written), isMarked, codes };
  } catch (error) {
    if (NotShareableError.is(error))
      for (const [k, value] of written.entries()) refuseUncloneable(value, placeIn(nameOf(k)));
    throw error;
  }
}

/** @throws TaskRegistrationError where the module of a class in them is not loaded on this thread */
export const unpack = (bytes: Uint8Array, isMarked: boolean): unknown[] => {
  const values = fromBytes(bytes);
  return (isMarked ? openData(values) : values) as unknown[];
};
