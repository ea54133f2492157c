/** Rules for values that are not data: what a copy holds in their place; runs on every thread. */
import { isOnSharedMemory } from '../memory/element-types.js';
import { DROP } from './data-contents.js';
import { copyOfView } from './data-marks.js';
import { isInstance, isMap, isPlain, isSet, tagOf } from './object-kind.js';

/**
 * Gives what the copy holds for a value that is not data: a function, a symbol, a view, a handle of the platform.
 *
 * @param what names the value: 'a Promise'
 * @param where gives the value's place, for an error
 * @throws where such a value must not travel
 */
export type CopyRule = (value: unknown, what: string, where: () => string) => unknown;

/** Leaves functions and handles out. Copies of plain typed arrays and buffers are data. */
export const KEEP_DATA: CopyRule = (value, what) => {
  if (ArrayBuffer.isView(value)) return isOnSharedMemory(value) ? value : copyOfView(value);
  return what === 'an ArrayBuffer' ? (value as ArrayBuffer).slice(0) : DROP;
};

/**
 * Returns the object behind a proxy of an object with data of its own, such as a reactive Map of Vue: the methods of the language refuse such a proxy. The
 * object itself if it is no such proxy; undefined if the proxy does not tell. Proxies of plain objects and arrays are copied as what they show.
 */
export function unproxied(value: object): object | undefined {
  const tag = tagOf(value);
  const isProxied =
    tag === 'Map' || tag === 'Set'
      ? !isMap(value) && !isSet(value) && (value instanceof Map || value instanceof Set)
      : tag === 'Object' && !isPlain(value) && !isInstance(value);
  if (!isProxied) return value;
  const { __v_raw: raw } = value as { readonly __v_raw?: unknown }; // of Vue
  return typeof raw === 'object' && raw !== null && raw !== value ? raw : undefined;
}

/** Reason why such values are refused, and the cure. */
export const PROXY = { reason: 'is a proxy of what is no plain data', cure: 'Pass a copy in its place.' };

export const WHOLE_HEAP = {
  reason: 'is the buffer of a shared array, which is the whole shared heap',
  cure: 'Pass the array itself, or a subarray of it.',
};
