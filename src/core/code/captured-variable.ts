/**
 * What a `ReferenceError` inside a shipped function means: a variable of its module that did not travel; runs on every
 * thread.
 */
import { CURES } from './function-source.js';

/** V8 and SpiderMonkey; JavaScriptCore. */
const UNKNOWN_NAME = [/^(\S+) is not defined$/, /^Can't find variable: (\S+)$/];
/** Imports as TypeScript, esbuild and Babel write them in CommonJS: `lodash_1`, `import_lodash`, `_lodash`. */
const COMPILED_IMPORT = /^(\w+_\d+|import_\w+)$/;

function unknownName(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { name, message } = error as { name?: unknown; message?: unknown };
  if (name !== 'ReferenceError' || typeof message !== 'string') return undefined;
  for (const pattern of UNKNOWN_NAME) {
    const found = pattern.exec(message)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The error to show for one that a shipped function threw: an unknown name becomes a captured variable, any other error
 * stays what it is.
 *
 * @param error what was thrown
 * @param fn what to call the function: "parallelFor's body"
 */
export function explainReferenceError(error: unknown, fn: string): unknown {
  const name = unknownName(error);
  if (name === undefined) return error;
  if (name === '_this') {
    return explained(error, `${fn} uses \`this\` of what stands around it, which does not travel to the workers.`);
  }
  const what = COMPILED_IMPORT.test(name) ? 'captured variable (an import, by its look)' : 'captured variable';
  return explained(error, `${fn} uses the ${what} \`${name}\`, which does not travel to the workers.`);
}

function explained(cause: unknown, problem: string): ReferenceError {
  const error = new ReferenceError(`furcate: ${problem} ${CURES}`, { cause });
  const { stack } = cause as { stack?: unknown };
  const { message } = cause as { message: string };
  // The frames are the interesting part, and those of this function are not.
  if (typeof stack === 'string') setStack(error, stack.replace(message, error.message));
  return error;
}

const setStack = (error: Error, stack: string): void => {
  Object.defineProperty(error, 'stack', { value: stack, writable: true, configurable: true });
};
