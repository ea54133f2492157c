/**
 * What a `ReferenceError` inside a shipped function means: a variable of its module that did not travel; runs on every
 * thread.
 */
import { CURES } from './function-source.js';

/** V8 and SpiderMonkey; JavaScriptCore. */
const UNKNOWN_NAME = [/^(\S+) is not defined$/, /^Can't find variable: (\S+)$/];
/** Imports as TypeScript, esbuild and Babel write them in CommonJS: `lodash_1`, `import_lodash`, `_lodash`. */
const COMPILED_IMPORT = /^(\w+_\d+|import_\w+)$/;

/** What helps a function of a context, which gets no context itself. */
const CURE_IN_CONTEXT =
  'A function in `context` sees its arguments and globals only: pass what it needs as an argument, or make it a forkable, ' +
  'forkable(import.meta.url, name, fn), in a module that workers can import.';

function unknownName(message: string): string | undefined {
  for (const pattern of UNKNOWN_NAME) {
    const found = pattern.exec(message)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * What the message of a `ReferenceError` means in a shipped function; undefined where it is about something else.
 *
 * @param fn what to call the function: "fn of parallelMap", or "context.scale" for one of the context's
 */
export function capturedVariable(message: string, fn: string): string | undefined {
  const name = unknownName(message);
  if (name === undefined) return undefined;
  const cures = fn.startsWith('context.') ? CURE_IN_CONTEXT : CURES;
  if (name === '_this') {
    return `${fn} uses \`this\` of what stands around it, which does not travel to the workers. ${cures}`;
  }
  const what = COMPILED_IMPORT.test(name) ? 'captured variable (an import, by its look)' : 'captured variable';
  return `${fn} uses the ${what} \`${name}\`, which does not travel to the workers. ${cures}`;
}
