/** Contents of objects for copies of data: properties, also those of arrays besides their elements; runs on every thread. */
import { tagOf } from './object-kind.js';

/** A rule's answer: leave the property, element or entry out. */
export const DROP: unique symbol = Symbol('furcate.drop');

/** Sets a property as data, although the prototype may have a setter of that name, as it has for `__proto__`. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key in target) {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else (target as Record<string, unknown>)[key] = value;
}

/**
 * From this length on, properties that an array has besides its elements are left out: looking for them takes longer the longer the array is.
 * The portable codec does the same.
 */
export const LONG_ARRAY = 4096;

/**
 * Checks whether an array has more than its elements, as the result of a regular expression has its `index`. Engines count values
 * several times faster than they name keys.
 *
 * @param holes how many of its elements are not there
 */
export const hasMore = (array: readonly unknown[], holes: number): boolean =>
  array.length <= LONG_ARRAY && Object.values(array).length !== array.length - holes;

/** Checks whether a key is not that of an element. */
export const isNoIndex = (key: string): boolean => String(Number(key) >>> 0) !== key || Number(key) === 2 ** 32 - 1;

/** A copy of an object that holds no other objects; undefined for any other object. */
export function wholeCopy(value: object): object | undefined {
  const tag = tagOf(value);
  if (tag === 'Date') return new Date((value as Date).getTime());
  if (tag === 'RegExp') return new RegExp((value as RegExp).source, (value as RegExp).flags);
  return ['Number', 'String', 'Boolean', 'BigInt'].includes(tag) ? Object(value.valueOf()) : undefined;
}
