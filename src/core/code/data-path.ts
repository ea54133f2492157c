/** Where a part of a value, or of its copy with marks, is: as errors show a path; runs on every thread. */
import { show } from '../errors.js';
import { isMap, isSet } from './object-kind.js';

/** The key of what stands for a value in a copy (data-copy.ts); the properties of the value are its `fields`. */
export const MARK = 'furcate:mark';

/** Where the first part of a value or copy is that `matches`, as errors show a path; undefined if there is none. */
export function pathTo(data: unknown, root: string, matches: (part: unknown) => boolean): string | undefined {
  const seen = new Set<object>();
  const search = (part: unknown, path: string): string | undefined => {
    if (matches(part)) return path;
    if (typeof part !== 'object' || part === null || seen.has(part) || ArrayBuffer.isView(part)) return undefined;
    seen.add(part);
    for (const [step, child] of stepsOf(part)) {
      const found = search(child, path + step);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(data, root);
}

/** What an object holds, each with its step of the path; marks are seen through. */
export function stepsOf(part: object): [step: string, child: unknown][] {
  if (isMap(part)) {
    return [...part].flatMap(([key, child]) => [
      [` (key ${shownKey(key)} of the Map)`, key],
      [`.get(${shownKey(key)})`, child],
    ]);
  }
  if (isSet(part)) return [...part].map((child) => [' (a member of the Set)', child]);
  if (Array.isArray(part)) return Object.entries(part).map(([index, child]) => [`[${index}]`, child]);
  const { fields = part } = MARK in part ? (part as { readonly fields?: object }) : {};
  return Object.entries(Object(fields)).map(([key, child]) => [
    IDENTIFIER.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
    child,
  ]);
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

const shownKey = (key: unknown): string => (typeof key === 'string' ? JSON.stringify(key) : show(key));
