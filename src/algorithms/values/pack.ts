/**
 * Lists of plain values as bytes and back; runs on the caller for the values of a chunk, and on workers for its results.
 *
 * Data is cloned as the fields of a task are, and instances of registered classes keep their class. Typed arrays and buffers that are not
 * shared are copied, which a task would refuse.
 */
import { Copier, type CopyRule, openData } from '../../core/code/data-copy.js';
import { notShareable } from '../../core/code/value-class.js';
import { NotShareableError } from '../../core/errors.js';
import { NO_TYPE, typeOfView } from '../../core/memory/element-types.js';
import { ALIVE, fateOf, freedError, isDetached } from '../../core/memory/shared-array.js';
import { fromBytes, toBytes } from '../../core/task/values.js';

/** Cloned values. */
export interface Packed {
  readonly bytes: Uint8Array;
  /** Whether marks stand for instances and errors in them. */
  readonly isMarked: boolean;
  /** Numbers of the classes in them: a thread needs these before it unpacks them. */
  readonly codes: ReadonlySet<number>;
}

const CURE = 'Pass the data that a worker can make it from.';
const DETACHED = 'Name each buffer once in what `transfer` returns, and pass it before it is detached.';

const rule: CopyRule = (value, what, where) => {
  if (ArrayBuffer.isView(value)) {
    if (fateOf(value) !== ALIVE) throw freedError(where());
    if (typeOfView(value) !== NO_TYPE && isDetached(value))
      throw notShareable(where(), { reason: 'is on a buffer that was transferred', cure: DETACHED });
  } else if (!what.endsWith('ArrayBuffer'))
    throw notShareable(where(), { reason: `is ${what}, which cannot be cloned`, cure: CURE });
  return value;
};

/**
 * Clones values.
 *
 * @param nameOf names a value in errors: 'value 17'
 * @throws NotShareableError that names the value which cannot be cloned, and its part
 */
export function pack(values: readonly unknown[], nameOf: (k: number) => string): Packed {
  const copier = new Copier();
  const copies = values.map((value, k) =>
    copier.copy(value, rule, (path) => (path === '' ? nameOf(k) : `${nameOf(k)} (at ${path})`)),
  );
  try {
    return { bytes: toBytes(copier.isMarked ? copies : values), isMarked: copier.isMarked, codes: copier.codes };
  } catch (error) {
    if (NotShareableError.is(error)) for (const [k, value] of values.entries()) refuseUncloneable(value, nameOf(k));
    throw error;
  }
}

/** Refuses what only the runtime's serializer refuses, such as proxies. */
function refuseUncloneable(value: unknown, name: string): void {
  try {
    toBytes(value);
  } catch (cause) {
    if (!NotShareableError.is(cause)) throw cause;
    throw new NotShareableError(`furcate: ${name} cannot be cloned. ${cause.message}`, { cause, path: name });
  }
}

/** @throws TaskRegistrationError where the module of a class in them is not loaded on this thread */
export const unpack = (bytes: Uint8Array, isMarked: boolean): unknown[] => {
  const values = fromBytes(bytes);
  return (isMarked ? openData(values) : values) as unknown[];
};
