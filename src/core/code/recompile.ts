/**
 * Code of its own for each use: a maker compiled anew from its text; runs on every thread.
 *
 * V8 keeps type feedback with the code, so a loop or method shared by many functions or classes becomes megamorphic and
 * is inlined no more. A maker must be self-contained: it may use its parameters and globals, and nothing else of its
 * module. The serial number in the text is essential: V8 caches evaluated source together with its feedback. Stacks name the
 * code by it.
 */

type AnyFunction = (...args: never[]) => unknown;

let serial = 0;

/**
 * The maker as a function that shares no code with it; the maker itself under a policy that forbids `new Function`.
 * `__name` is what tsx and esbuild's `keepNames` call in it.
 */
export function recompile<M extends AnyFunction>(make: M): M {
  try {
    const url = `furcate:loop/${++serial}.js`;
    const source = `'use strict'; const __name = (fn) => fn; return (${make.toString()});\n//# sourceURL=${url}`;
    return new Function(source)() as M;
  } catch {
    return make; // a content security policy, or an engine that keeps no source
  }
}
