/**
 * Specialized code: a loop of its own for each function that a user passes, methods of their own for each class; runs on every
 * thread.
 *
 * V8 optimises code for the functions and classes that the code has met, and keeps this feedback with the code. A loop that many
 * functions share becomes megamorphic: V8 inlines nothing, and the loop takes five to ten times as long from the fifth function
 * on, for the rest of the process. So a loop is compiled anew for each function, from the text of a template: `template(fn)`
 * returns a closure, and `specialize(template, tag, fn)` returns an equal closure whose code nobody else shares.
 *
 * A template must be self-contained: it may use its parameters and globals, and nothing else of its module. The text needs the
 * serial number, because V8 caches evaluated source together with its feedback. Stacks name the code by that number.
 */

import { TYPE_COUNT, type TypedArray, typeOfView } from '../memory/element-types.js';
import { keptNamesShim } from './kept-names.js';

type TemplateFunction = (...args: never[]) => unknown;

let serial = 0;
/** True if a policy of this thread forbids compiling. */
let isForbidden = false;

/**
 * The template as a function that shares no code with it; the template itself under a policy that forbids `new Function`.
 */
export function recompile<T extends TemplateFunction>(template: T): T {
  if (isForbidden) return template;
  try {
    const url = `furcate:loop/${++serial}.js`;
    const source = `'use strict'; ${keptNamesShim()} return (${template.toString()});\n//# sourceURL=${url}`;
    return new Function(source)() as T;
  } catch (error) {
    // A content security policy, which reports each attempt; or an engine that keeps no source.
    isForbidden = (error as { name?: unknown }).name === 'EvalError';
    return template;
  }
}

type Cache = Map<unknown, unknown>;

/** By the first function, which it does not keep alive; then by template, further functions and tag. */
const caches = new WeakMap() as unknown as Cache;

/** A tag for the element types of arrays. A number is looked up faster than a text is made. */
export const typesTag = (a: TypedArray, b: TypedArray = a): number => typeOfView(a) * TYPE_COUNT + typeOfView(b);

function below(cache: Cache, key: unknown): Cache {
  let next = cache.get(key) as Cache | undefined;
  if (next === undefined) {
    next = new Map();
    cache.set(key, next);
  }
  return next;
}

/**
 * Returns the result of `template(...fns)`, from code that nothing else runs. It is cached for as long as the first
 * function lives.
 *
 * @param template self-contained
 * @param tag tells uses of one template with the same functions apart, by element types for instance
 * @param fns the template's arguments
 */
export function specialize<T extends TemplateFunction>(
  template: T,
  tag: string | number,
  ...fns: Parameters<T>
): ReturnType<T> {
  const parts = fns as unknown as TemplateFunction[];
  let cache = below(below(caches, parts[0] ?? template), template);
  for (let i = 1; i < parts.length; i++) cache = below(cache, parts[i]);
  let made = cache.get(tag) as ReturnType<T> | undefined;
  if (made === undefined) {
    made = recompile(template)(...fns) as ReturnType<T>;
    cache.set(tag, made);
  }
  return made;
}
