/**
 * Code of its own for each use: a maker compiled anew from its text; runs on every thread.
 *
 * V8 keeps type feedback with the code, so a loop or method shared by many functions or classes becomes megamorphic and
 * is inlined no more. A maker must be self-contained: it may use its parameters and globals, and nothing else of its
 * module. The serial number in the text is essential: V8 caches evaluated source together with its feedback.
 */

type AnyFunction = (...args: never[]) => unknown;

let serial = 0;

/** V8 inlines no function of more than 460 bytes of bytecode: this has 600, never runs, and costs optimised code nothing. */
const PADDING = `let $pad = 0; if ($pad !== 0) { ${'$pad += $pad; '.repeat(80)}}`;

/** Up to the body of the loop that a maker returns, `(fn) => function loop(lo, hi) {`. */
const LOOP_HEAD = /^[^{]*?=>\s*function\b[^{]*\{/;

/**
 * The text of a maker whose loop is never inlined. Inlined into code that stands in a `try` block, a loop loads what does not
 * change in every round (V8 peels no loop with a way out to a handler), and takes twice as long.
 */
const apart = (text: string): string => text.replace(LOOP_HEAD, (head) => `${head} ${PADDING}`);

/**
 * The maker as a function that shares no code with it; the maker itself under a policy that forbids `new Function`.
 * `__name` is what tsx and esbuild's `keepNames` call in it.
 *
 * @param isLoop whether what it makes stays apart from its callers: for loops, if the maker is an arrow function that returns
 *   a `function` at once
 */
export function recompile<M extends AnyFunction>(make: M, isLoop = false): M {
  try {
    const text = isLoop ? apart(make.toString()) : make.toString();
    const source = `'use strict'; const __name = (fn) => fn; return (${text}); // ${++serial}`;
    return new Function(source)() as M;
  } catch {
    return make; // a content security policy, or an engine that keeps no source
  }
}
