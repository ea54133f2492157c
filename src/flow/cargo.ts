/** Values on their way to workers and back, as bytes; runs on every thread. */
import { bytesAt, pack, unpack } from '../core/engine.js';

/** Where the packed values of a task are: on the shared heap, and freed by the caller. */
export type Place = readonly [at: number, length: number, isMarked: boolean];

/** Values that come back. */
export type Packed = readonly [isMarked: boolean, bytes: Uint8Array];

export const valuesAt = ([at, length, isMarked]: Place): unknown[] => unpack(bytesAt(at, length).slice(), isMarked);

export const valuesIn = ([isMarked, bytes]: Packed): unknown[] => unpack(bytes, isMarked);

/** @throws NotShareableError that names the value which cannot be cloned */
export const packed = (values: readonly unknown[], nameOf: (k: number) => string): Packed => {
  const { bytes, isMarked } = pack(values, nameOf);
  return [isMarked, bytes];
};
