/**
 * Clones of plain values, as another thread would have them; runs on every thread.
 *
 * Data is cloned as the fields of a task are, and instances of registered classes keep their class. Typed arrays and buffers that are not
 * shared are copied, which a task would refuse.
 */
import { Copier, type CopyRule } from '../code/data-copy.js';
import { copyOfView } from '../code/data-marks.js';
import { cloneOf, isOfBuffer } from '../code/platform-objects.js';
import { notShareable } from '../code/value-class.js';
import { isOnOwnMemory, isOnSharedMemory, NO_TYPE, typeOfView } from '../memory/element-types.js';
import { externalId, mayShare } from '../memory/external-buffers.js';
import { isDetached } from '../memory/shared-array.js';
import { inResult, ofValues } from './shareable.js';
import { isPrimitive, NO_TREE, treeCopy } from './trees.js';
import { placeIn } from './uncloneable.js';

/** Copies what a result may hold; of a buffer that was taken away, the serializer would not say where it stands. */
const ofData: CopyRule = (value, what, where) => {
  if (ArrayBuffer.isView(value) && typeOfView(value) !== NO_TYPE && isDetached(value))
    throw notShareable(where(), { reason: 'is on a buffer that was transferred', cure: 'Pass it before.' });
  return inResult(value, what, where);
};

/** As `ofValues`, where no serializer copies what is not shared. */
const cloneRule: CopyRule = (value, what, where) => {
  if (typeof value === 'object' && value !== null && !isOfBuffer(value)) {
    if (!mayShare() && externalId(value) !== undefined) return value; // a worker can send back what it was sent, and no clone of it
    const clone = cloneOf(value);
    if (clone !== undefined) return clone;
  }
  ofValues(value, what, where);
  if (ArrayBuffer.isView(value)) return isOnSharedMemory(value) ? value : copyOfView(value);
  return what === 'an ArrayBuffer' ? (value as ArrayBuffer).slice(0) : value;
};

/**
 * Values as a worker would have them, for calls on this thread: clones, or the same error.
 *
 * @param nameOf names a value in errors: 'value 17'
 * @param reads whether they are only read: then flat values need no copies
 * @throws NotShareableError that names the value which cannot be cloned, and its part
 */
export function cloned(
  values: readonly unknown[],
  nameOf: (k: number) => string,
  { reads }: { readonly reads: boolean } = { reads: false },
): readonly unknown[] {
  if (reads && areFlat(values)) return values;
  const copies: unknown[] = [];
  for (const value of values) {
    const copy = treeCopy(value);
    if (copy === NO_TREE) return deepCopies(values, nameOf);
    copies.push(copy);
  }
  return copies;
}

/**
 * As `cloned`, of one value.
 *
 * @param nameOf names it in errors, by what follows: a closure would be made for each value
 */
export function cloneOfValue<A extends unknown[]>(value: unknown, nameOf: (...of: A) => string, ...of: A): unknown {
  if (isPrimitive(value)) return value;
  const copy = isOnOwnMemory(value) ? copyOfView(value) : treeCopy(value);
  return copy === NO_TREE ? carefulCopy(value, nameOf, of) : copy;
}

const carefulCopy = <A extends unknown[]>(value: unknown, nameOf: (...of: A) => string, of: A): unknown =>
  deepCopies([value], () => nameOf(...of))[0];

/** Checks whether all are primitive, or plain objects of primitives. One loop: calls per property took half of the time. */
function areFlat(values: readonly unknown[]): boolean {
  for (let k = 0; k < values.length; k++) {
    const value = values[k];
    if (typeof value !== 'object' || value === null) {
      if (isPrimitive(value)) continue;
      return false;
    }
    if (Object.getPrototypeOf(value) !== Object.prototype) return false;
    const object = value as Readonly<Record<string, unknown>>;
    for (const key in object) if (!isPrimitive(object[key])) return false;
  }
  return true;
}

function deepCopies(values: readonly unknown[], nameOf: (k: number) => string): readonly unknown[] {
  const copier = new Copier();
  const copies = values.map((value, k) => copier.copy(value, cloneRule, (path) => placeIn(nameOf(k))(path)));
  return copier.opened(copies) as unknown[];
}

/**
 * A copy of a value, as a task's result would be: `openData` gives the value back, on a thread that has the code.
 *
 * @param name of the value in errors
 * @throws NotShareableError
 */
export function copyData(value: unknown, name: string): { readonly data: unknown; readonly codes: readonly number[] } {
  const copier = new Copier();
  const data = copier.copy(value, ofData, (path) => name + path);
  return { data, codes: [...copier.codes] };
}
