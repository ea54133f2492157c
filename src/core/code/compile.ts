/**
 * Compiles source text to a function, in strict mode, with only globals in scope; runs on every thread.
 */
import { withoutPage } from '../platform/page-names.js';

type CompiledCode = (...args: never) => unknown;

/** Begins the URLs of compiled functions in stacks and debuggers. Equal texts have equal URLs, in every thread and run. */
const INLINE = 'furcate:inline/';
const INLINE_URL = new RegExp(`${INLINE}\\w+\\.js`);

/** The texts that this thread has compiled, by URL. */
const sources = new Map<string, string>();

/** The URL of a compiled function, with a hash of its text (FNV-1a). */
export function urlOfSource(source: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < source.length; i++) hash = Math.imul(hash ^ source.charCodeAt(i), 0x01000193);
  return `${INLINE}${(hash >>> 0).toString(36)}.js`;
}

/** The URL of the compiled function that a line of a stack names. */
export const inlineUrlIn = (frame: string): string | undefined => INLINE_URL.exec(frame)?.[0];

/** The text of a compiled function's URL. */
export const sourceAt = (url: string): string | undefined => sources.get(url);

/**
 * Compiles an expression that gives a function.
 *
 * @param source what `sourceOf` made
 * @param serial of code that shares nothing with that of an equal text: engines keep what they have compiled by text
 * @throws SyntaxError for text that strict mode refuses; EvalError, saying what to do, where a Content Security Policy
 *   forbids compiling
 */
export function compileSource(source: string, serial?: number): CompiledCode {
  try {
    // `Function` is read at each call, because a host may forbid compiling later.
    const url = urlOfSource(source);
    const body = 'document' in globalThis ? withoutPage(source) : `"use strict"; return (${source}\n);`;
    const apart = serial === undefined ? '' : `\n// ${serial}`;
    const compiled = new globalThis.Function(`${body}${apart}\n//# sourceURL=${url}`)() as CompiledCode;
    sources.set(url, source);
    return compiled;
  } catch (error) {
    if ((error as { name?: unknown }).name !== 'EvalError') throw error;
    throw new EvalError(
      'furcate: this environment forbids compiling a function from its source (a Content Security Policy without ' +
        "'unsafe-eval', or a flag of the runtime). Register the function instead, forkable(import.meta.url, name, fn), " +
        'and pass that.',
      { cause: error },
    );
  }
}
