/**
 * What an error of the engine's means inside a user's function that algorithms run: a variable that did not travel, a
 * context that was not given, a write to one; runs on every thread.
 *
 * The innermost frame of the stack tells whose code threw: compiled functions have URLs of their own (compile.ts). What the
 * code of a module throws is that module's affair and stays as it is.
 */
import { capturedVariable } from './captured-variable.js';
import { inlineUrlIn, sourceAt, urlOfSource } from './compile.js';
import { pathOfFunction, type ShippedContext } from './context.js';
import { WAY_OUT } from './context-guard.js';
import { missingContext } from './missing-context.js';
import { resolver } from './resolver.js';
import { takeFrames, topFrame } from './stack-text.js';
import { KIND_SOURCE } from './table.js';

/** V8, of objects that are frozen. Strings and functions, which `context` cannot freeze, are left out. */
const FROZEN =
  /\bobject is not extensible$|^Cannot (delete|redefine) property\b|^Cannot assign to read only property '.*' of object\b/;

/**
 * The error to show for one that was thrown while a user's function ran; most are shown as they are.
 *
 * @param error what was thrown
 * @param called what to call the function: "fn of parallelMap"
 * @param context what was shipped for the call, if it has one
 */
export function explainThrown(error: unknown, called: string, context: ShippedContext | undefined): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { name, message, stack } = error as { name?: unknown; message?: unknown; stack?: unknown };
  if (typeof message !== 'string' || (name !== 'ReferenceError' && name !== 'TypeError')) return error;
  if (message.startsWith('furcate: ')) return error;
  const frame = topFrame(stack);
  const url = frame === undefined ? undefined : inlineUrlIn(frame);
  if (name === 'TypeError') {
    if (context !== undefined) {
      if (!FROZEN.test(message)) return error;
      const problem = `${nameOf(url, called, context)} writes to an object that cannot be changed (${message}). ${WAY_OUT}`;
      return takeFrames(new TypeError(`furcate: ${problem}`, { cause: error }), error);
    }
    const source = url === undefined ? undefined : sourceAt(url);
    const problem = source === undefined ? undefined : missingContext(message, source, called);
    return problem === undefined ? error : takeFrames(new TypeError(`furcate: ${problem}`, { cause: error }), error);
  }
  if (frame !== undefined && url === undefined && !/\beval at\b/.test(frame)) return error; // of a module
  const problem = capturedVariable(message, nameOf(url, called, context));
  return problem === undefined ? error : takeFrames(new ReferenceError(`furcate: ${problem}`, { cause: error }), error);
}

/** What to call the code at a URL: its place in the context, or else what the algorithm's own function is called. */
function nameOf(url: string | undefined, called: string, context: ShippedContext | undefined): string {
  if (url === undefined || context === undefined) return called;
  for (const code of context.codes) {
    const { kind, url: source } = resolver().table.entry(code);
    if (kind === KIND_SOURCE && urlOfSource(source) === url) return pathOfFunction(context, code) ?? called;
  }
  return called;
}
