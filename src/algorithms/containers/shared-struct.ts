/** `sharedStruct`: structures of arrays; runs on every thread. */
import { sharedArray } from '../../core/engine.js';
import { refuseRevoked, show } from '../../core/errors.js';
import { ARRAYS, type ArrayOfType, checkNumberType, type NumberType } from './number-types.js';

/** An array for each field. */
export type SharedStruct<Fields extends Readonly<Record<string, NumberType>>> = {
  readonly [Name in keyof Fields]: ArrayOfType<Fields[Name]>;
};

/**
 * Makes a shared array for each field of a record: a structure of arrays, of which loops read what they need.
 *
 * @param fields the type of each field, by name: `{ x: 'f64', y: 'f64', id: 'u32' }`; of 'i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'f32' and 'f64'
 * @param n the number of records, all of whose fields are zero
 * @returns a plain object of shared arrays, for a `context`, an argument or a kernel
 * @throws TypeError for another type of field, RangeError for a bad n, or when the shared heap is full
 * @example
 * const points = sharedStruct({ x: 'f64', y: 'f64', id: 'u32' }, 1_000);
 * await parallelFor(1_000, (i, { x, id }) => { x[i] = i / 2; id[i] = i; }, { context: points });
 * points.x[3]; // => 1.5
 */
export function sharedStruct<const Fields extends Readonly<Record<string, NumberType>>>(
  fields: Fields,
  n: number,
): SharedStruct<Fields> {
  refuseRevoked(fields, 'sharedStruct: fields');
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new TypeError(
      `furcate: sharedStruct: fields must be an object, { x: 'f64', id: 'u32' }; it was ${show(fields)}.`,
    );
  if (!Number.isInteger(n) || n < 0)
    throw new RangeError(`furcate: sharedStruct: n must be an integer >= 0, the number of records; it was ${show(n)}.`);
  const entries = Object.entries(fields);
  for (const [name, type] of entries) checkNumberType(`sharedStruct: the type of ${name}`, type);
  return Object.fromEntries(entries.map(([name, type]) => [name, sharedArray(ARRAYS[type] as never, n)])) as never;
}
