/**
 * Loops of their own for each function that is passed in; runs on every thread.
 *
 * V8 optimises a loop for the functions that it has seen called there. A loop shared by many becomes megamorphic: no
 * inlining, five to ten times slower, from the fifth function on and for the rest of the process. So the loop is
 * compiled anew for each function, once, from the text of the maker: `make(fn)` returns a closure, and `fresh(make, ...)`
 * returns the same closure from code that nobody else shares (core/code/recompile.ts says what a maker must be).
 */

import { recompile } from '../core/code/recompile.js';

type AnyFunction = (...args: never[]) => unknown;

const ids = new WeakMap<AnyFunction, number>();
const caches = new WeakMap<AnyFunction, Map<string, unknown>>();
let serial = 0;

function idOf(fn: AnyFunction): number {
  let id = ids.get(fn);
  if (id === undefined) {
    id = ++serial;
    ids.set(fn, id);
  }
  return id;
}

/**
 * What `make(...fns)` returns, from code of its own; cached for as long as the first function lives.
 *
 * @param make a self-contained maker
 * @param tag sets apart uses of one maker with the same functions, such as element types
 * @param fns what the maker takes
 */
export function fresh<M extends AnyFunction>(make: M, tag: string, ...fns: Parameters<M>): ReturnType<M> {
  const parts = fns as unknown as AnyFunction[];
  const owner = parts.length === 0 ? make : parts[0];
  let cache = caches.get(owner);
  if (cache === undefined) {
    cache = new Map();
    caches.set(owner, cache);
  }
  let key = `${idOf(make)} ${tag}`;
  for (let i = 1; i < parts.length; i++) key += ` ${idOf(parts[i])}`;
  let made = cache.get(key) as ReturnType<M> | undefined;
  if (made === undefined) {
    made = recompile(make)(...fns) as ReturnType<M>;
    cache.set(key, made);
  }
  return made;
}
