/**
 * Code of its own for each use: loops for each function that is passed in, methods for each class; runs on every thread.
 *
 * V8 optimises code for the functions and classes that it has seen there, and keeps what it saw with the code. A loop shared by
 * many becomes megamorphic: no inlining, five to ten times slower, from the fifth function on and for the rest of the process.
 * So it is compiled anew for each use, from the text of a maker: `make(fn)` returns a closure, and `fresh(make, ...)` returns the
 * same closure from code that nobody else shares, once for each function.
 *
 * A maker must be self-contained: it may use its parameters and globals, and nothing else of its module. The serial number in
 * the text is essential: V8 caches evaluated source together with its feedback. Stacks name the code by it.
 */

import { TYPE_COUNT, type TypedArray, typeOfView } from '../memory/element-types.js';
import { keptNamesShim } from './kept-names.js';

type AnyFunction = (...args: never[]) => unknown;

let serial = 0;

/**
 * The maker as a function that shares no code with it; the maker itself under a policy that forbids `new Function`.
 */
export function recompile<M extends AnyFunction>(make: M): M {
  try {
    const url = `furcate:loop/${++serial}.js`;
    const source = `'use strict'; ${keptNamesShim()} return (${make.toString()});\n//# sourceURL=${url}`;
    return new Function(source)() as M;
  } catch {
    return make; // a content security policy, or an engine that keeps no source
  }
}

/** By the first function, then by maker, further functions and tag. */
const caches = new WeakMap<AnyFunction, Map<unknown, unknown>>();

/** A tag that sets apart arrays by their element types: a number, which is looked up faster than text is put together. */
export const typesTag = (a: TypedArray, b: TypedArray = a): number => typeOfView(a) * TYPE_COUNT + typeOfView(b);

function below(cache: Map<unknown, unknown>, key: unknown): Map<unknown, unknown> {
  let next = cache.get(key) as Map<unknown, unknown> | undefined;
  if (next === undefined) {
    next = new Map();
    cache.set(key, next);
  }
  return next;
}

/**
 * What `make(...fns)` returns, from code of its own; cached for as long as the first function lives.
 *
 * @param make a self-contained maker
 * @param tag sets apart uses of one maker with the same functions, such as element types
 * @param fns what the maker takes
 */
export function specialize<M extends AnyFunction>(make: M, tag: string | number, ...fns: Parameters<M>): ReturnType<M> {
  const parts = fns as unknown as AnyFunction[];
  const owner = parts.length === 0 ? make : parts[0];
  let cache = caches.get(owner);
  if (cache === undefined) {
    cache = new Map();
    caches.set(owner, cache);
  }
  cache = below(cache, make);
  for (let i = 1; i < parts.length; i++) cache = below(cache, parts[i]);
  let made = cache.get(tag) as ReturnType<M> | undefined;
  if (made === undefined) {
    made = recompile(make)(...fns) as ReturnType<M>;
    cache.set(tag, made);
  }
  return made;
}
