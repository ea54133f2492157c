/**
 * From source text to a function, in strict mode and with nothing in scope but globals; runs on every thread.
 */

type Compiled = (...args: never) => unknown;

/**
 * Compiles an expression that gives a function.
 *
 * @param source what `sourceOf` made
 * @throws SyntaxError for text that strict mode refuses; EvalError, saying what to do, where a Content Security Policy
 *   forbids compiling
 */
export function compileSource(source: string): Compiled {
  try {
    // Looked up at each call, so that a host that forbids it is seen.
    return new globalThis.Function(`"use strict"; return (${source}\n);`)() as Compiled;
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
