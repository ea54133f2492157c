/**
 * Explains errors of the engine in users' functions that algorithms run: a variable that did not travel, a context that was not given, a
 * write to a context; runs on every thread.
 *
 * The innermost frame of the stack tells which code threw, because compiled functions have URLs of their own (compile.ts). Errors that
 * the code of a module throws stay as they are.
 */

import { takeFrames, topFrame } from './call-site.js';
import { inlineUrlIn, sourceAt, urlOfSource } from './compile.js';
import { pathOfFunction, type ShippedContext, WAY_OUT } from './context.js';
import { isWriteToFrozen, propertyOfNothing, unknownName } from './engine-messages.js';
import { CURES } from './function-source.js';
import { namesFunctions } from './injections.js';
import { resolver } from './resolver.js';
import { tokensOf } from './tokens.js';

/**
 * The error to report for an error that a user's function threw. Most are reported as they are.
 *
 * @param error the error, or any value that was thrown
 * @param called the name of the function in errors: "fn of parallelMap"
 * @param context the shipped context of the call, if it has one
 */
export function explainThrown(error: unknown, called: string, context: ShippedContext | undefined): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { name, message, stack } = error as { name?: unknown; message?: unknown; stack?: unknown };
  if (typeof message !== 'string' || (name !== 'ReferenceError' && name !== 'TypeError')) return error;
  if (message.startsWith('furcate: ')) return error;
  const frame = topFrame(stack);
  const url = frame === undefined ? undefined : inlineUrlIn(frame);
  const isOfModule = frame !== undefined && url === undefined && !EVALUATED.test(frame);
  let problem: string | undefined;
  if (name === 'ReferenceError') {
    if (!isOfModule) problem = capturedVariable(message, nameOf(url, called, context), sourceAt(url ?? ''));
  } else if (context === undefined) {
    const source = url === undefined ? undefined : sourceAt(url);
    if (source !== undefined) problem = missingContext(message, source, called);
  } else if (isWriteToFrozen(message)) {
    problem = `${nameOf(url, called, context)} writes to an object that cannot be changed (${message}). ${WAY_OUT}`;
  }
  if (problem === undefined) return error;
  const Class = name === 'TypeError' ? TypeError : ReferenceError;
  return takeFrames(new Class(`furcate: ${problem}`, { cause: error }), error);
}

/** A frame of a text without a URL: V8; SpiderMonkey. */
const EVALUATED = /\beval at\b| > (?:eval|Function):/;

/** The name of the code at a URL: its place in the context, or else the name of the algorithm's own function. */
function nameOf(url: string | undefined, called: string, context: ShippedContext | undefined): string {
  if (url === undefined || context === undefined) return called;
  for (const code of context.codes) {
    const { kind, url: source } = resolver().table.entry(code);
    if (kind === 'source' && urlOfSource(source) === url) return pathOfFunction(context, code) ?? called;
  }
  return called;
}

/** Imports as TypeScript, esbuild and Babel write them in CommonJS: `lodash_1`, `import_lodash`, `_lodash`. */
const COMPILED_IMPORT = /^(\w+_\d+|import_\w+)$/;

/** The cure for a function of a context, which gets no context itself. */
const CURE_IN_CONTEXT =
  'A function in `context` sees its arguments and globals only: pass what it needs as an argument, or make it a forkable, ' +
  'forkable(import.meta.url, name, fn), in a module that workers can import.';

/**
 * Explains the message of a `ReferenceError` in a shipped function; undefined for other messages.
 *
 * @param fn the name of the function: "fn of parallelMap", or "context.scale" for one of the context's
 * @param source the function's text, if that is known
 */
function capturedVariable(message: string, fn: string, source: string | undefined): string | undefined {
  const name = unknownName(message);
  if (name === undefined) return undefined;
  const cures = fn.startsWith('context.') ? CURE_IN_CONTEXT : CURES;
  if (name === '_this') {
    return `${fn} uses \`this\` of what stands around it, which does not travel to the workers. ${cures}`;
  }
  const look = COMPILED_IMPORT.test(name) ? ' (an import, by its look)' : keptNames(name, source);
  const what = `captured variable${look}`;
  return `${fn} uses the ${what} \`${name}\`, which does not travel to the workers. ${cures}`;
}

/** A bundle's helper is known where the library is in the same file (kept-names.ts). */
const keptNames = (name: string, source: string | undefined): string =>
  source !== undefined && namesFunctions(name, tokensOf(source))
    ? ' (by its look, the helper with which a bundler keeps the names of functions: turn off keepNames or minify, or bundle furcate too, without splitting)'
    : '';

const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
/** The last of several parameters: an object pattern or a name. */
const LAST_PARAMETER = /,\s*(\{[^()]*\}|[\p{ID_Start}$_][\p{ID_Continue}$]*)\s*,?\s*\)\s*(?:=>|\{)/gu;

const escaped = (text: string): string => text.replace(/[$.]/g, '\\$&');

/** Checks whether `term`, a name or a name's property, occurs in the source. */
const occursIn = (source: string, term: string): boolean =>
  new RegExp(`(?<![\\w$.])${escaped(term)}(?![\\w$])`).test(source);

/** Checks whether the source takes a variable apart, `{ a } = variable`. */
const takesApart = (source: string, variable: string): boolean =>
  new RegExp(`\\}\\s*=\\s*${escaped(variable)}(?![\\w$])`).test(source);

/** Matches a possible pattern among parameters, or an object among arguments. */
const PATTERN = /[(,]\s*\{[^()]*\}\s*[,)]/g;

/** The first name that a pattern takes from a variable, or from the last parameter, if there is only one pattern to choose from. */
function firstTaken(source: string, parameters: readonly string[], from: string | undefined): string | undefined {
  const patterns =
    from === 'undefined'
      ? source.match(PATTERN)?.length === 1
        ? parameters
        : []
      : [new RegExp(`\\{[^{}]*\\}(?=\\s*=\\s*${escaped(from ?? '')}(?![\\w$]))`).exec(source)?.[0] ?? ''];
  return patterns
    .map((pattern) => /^\{\s*([\p{ID_Continue}$]+)/u.exec(pattern)?.[1])
    .find((each) => each !== undefined);
}

/**
 * Explains the message of a `TypeError` about the parameter that the context would be; undefined for other messages.
 *
 * @param source the text of the function
 * @param fn the name of the function: "fn of parallelMap"
 */
function missingContext(message: string, source: string, fn: string): string | undefined {
  const found = propertyOfNothing(message);
  if (found === undefined) return undefined;
  const { isDestructured, from } = found;
  const parameters = [...source.matchAll(LAST_PARAMETER)].map(([, parameter = '']) => parameter);
  const name = found.property ?? firstTaken(source, parameters, from);
  if (name === undefined || !NAME.test(name)) return undefined;
  const isContext = parameters.some((parameter) => {
    if (parameter.startsWith('{')) return (from ?? 'undefined') === 'undefined' && occursIn(parameter, name);
    if (from !== undefined && from !== parameter) return false;
    return isDestructured ? takesApart(source, parameter) : occursIn(source, `${parameter}.${name}`);
  });
  if (!isContext) return undefined;
  return `${fn} takes \`${name}\` from its context, but the call has none. Pass it in the options: { context: { ${name} } }.`;
}
