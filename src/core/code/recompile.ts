/**
 * Code of its own for each use: a maker compiled anew from its text; runs on every thread.
 *
 * V8 keeps type feedback with the code, so a loop or method shared by many functions or classes becomes megamorphic and
 * is inlined no more. A maker must be self-contained: it may use its parameters and globals, and nothing else of its
 * module. The serial number in the text is essential: V8 caches evaluated source together with its feedback. Stacks name the
 * code by it.
 */
import { keptNamesShim } from './kept-names.js';

type AnyFunction = (...args: never[]) => unknown;

let serial = 0;

/** V8 inlines no function of more than 460 bytes of bytecode: this has 600, never runs, and costs optimised code nothing. */
const PADDING = `let $pad = 0; if ($pad !== 0) { ${'$pad += $pad; '.repeat(80)}}`;

/** Up to the body of what a maker returns, `(fn) => function loop(lo, hi) {`. */
const HEAD = /^[^{]*?=>\s*function\b[^{]*\{/;
const LOOP = /\b(?:for|while)\s*\(/;

/**
 * The text of a maker, whose loop is never inlined if that is what it returns. Inlined into code that stands in a `try` block,
 * a loop loads in every round what does not change (V8 peels no loop with a way out to a handler), and takes twice as long.
 */
const apart = (text: string): string => (LOOP.test(text) ? text.replace(HEAD, (head) => `${head} ${PADDING}`) : text);

/**
 * The maker as a function that shares no code with it; the maker itself under a policy that forbids `new Function`.
 */
export function recompile<M extends AnyFunction>(make: M): M {
  try {
    const url = `furcate:loop/${++serial}.js`;
    const source = `'use strict'; ${keptNamesShim()} return (${apart(make.toString())});\n//# sourceURL=${url}`;
    return new Function(source)() as M;
  } catch {
    return make; // a content security policy, or an engine that keeps no source
  }
}
