/** Paths to parts of a value, or of its copy with marks, as errors show them; runs on every thread. */
import { show } from '../errors.js';
import { isMap, isSet } from './object-kind.js';

/** The key of what stands for a value in a copy (data-copy.ts); the properties of the value are its `fields`. */
export const MARK = 'furcate:mark';

/**
 * Returns the path to the first part of a value or copy that `matches`, as errors show it; undefined if there is none.
 */
export function pathTo(value: unknown, start: string, matches: (part: unknown) => boolean): string | undefined {
  const seen = new Set<object>();
  /** Places that are still to be searched, the nearest last: chains may be longer than the stack is deep. */
  const places: [part: unknown, path: string][] = [[value, start]];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const [part, path] = place;
    if (matches(part)) return path;
    if (typeof part !== 'object' || part === null || seen.has(part) || ArrayBuffer.isView(part)) continue;
    seen.add(part);
    for (const [step, child] of stepsOf(part).reverse()) places.push([child, path + step]);
  }
  return undefined;
}

/** Returns the contents of an object, each with its step of the path; marks are seen through. */
export function stepsOf(part: object): [step: string, child: unknown][] {
  if (isMap(part)) {
    return [...part].flatMap(([key, child]) => [
      [` (key ${shownKey(key)} of the Map)`, key],
      [`.get(${shownKey(key)})`, child],
    ]);
  }
  if (isSet(part)) return [...part].map((child) => [' (a member of the Set)', child]);
  const isArray = Array.isArray(part);
  const { fields = part } = !isArray && MARK in part ? (part as { readonly fields?: object }) : {};
  return Object.entries(Object(fields)).map(([key, child]) => [
    isArray && INDEX.test(key) ? `[${key}]` : IDENTIFIER.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
    child,
  ]);
}

const INDEX = /^\d+$/;
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

const shownKey = (key: unknown): string => (typeof key === 'string' ? JSON.stringify(key) : show(key));
