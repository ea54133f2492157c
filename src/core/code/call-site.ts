/**
 * Puts the user's call into the stacks of errors that come from elsewhere; runs on the thread that calls.
 *
 * A stack that was made on a worker, or in a function that is compiled from its text, has no frame in a file of the user's.
 */

/** `    at fn (url:1:2)`: V8, and Bun; `fn@url:1:2`: SpiderMonkey and JavaScriptCore, where the name of a function may be any text. */
const FRAME = /^ +at |^[^@]*@[a-z][\w+.-]*:.+:\d+:\d+$/;

/** A frame of the engine's own functions, which does not tell their caller: V8; JavaScriptCore as Bun shows it. */
const NATIVE_FRAME = /(^ +at |\()(<anonymous>|unknown|native:\d+:\d+)\)?$/;

/** A line of a file, from 1 up. */
export interface CallPlace {
  readonly module: string;
  readonly line: number;
}

/** The lines of a stack that are frames. */
const framesOf = (stack: unknown): string[] =>
  typeof stack === 'string' ? stack.split('\n').filter((line) => FRAME.test(line)) : [];

/** The innermost frame outside of the engine's own functions. */
export const topFrame = (stack: unknown): string | undefined =>
  framesOf(stack).find((frame) => !NATIVE_FRAME.test(frame));

function setStack(error: Error, stack: string): void {
  Object.defineProperty(error, 'stack', { value: stack, writable: true, configurable: true });
}

/** Gives an error the frames of its cause, under the error's own message. */
export function takeFrames<E extends Error>(error: E, cause: unknown): E {
  const { stack, message } = cause as { stack?: unknown; message: string };
  // A function, since in a text `$&` and the like would be patterns.
  if (typeof stack === 'string') {
    const own = stack.replace(message, () => error.message);
    setStack(error, own);
  }
  return error;
}

/** Frames of a call, put into text only if they are asked for. */
export interface CallSite {
  readonly stack?: string;
}

/**
 * The frames of this call.
 *
 * @param above a function of the library: the frames begin with its caller
 */
export function callSite(above: (...args: never) => unknown): CallSite {
  const { captureStackTrace } = Error as Partial<ErrorConstructor>; // V8 has it
  if (captureStackTrace === undefined) return {};
  const site: CallSite = {};
  captureStackTrace(site, above);
  return site;
}

const nameIn = (frame: string | undefined): string | undefined =>
  /^(?: +at (?:async )?|(?:async\*)?)([\w$]+)(?: \(|@)/.exec(frame ?? '')?.[1];

/** The frames from the public function on. If the function has first loaded its family, it has two frames, and one is left out. */
function framesOfCall(site: CallSite): string[] {
  const frames = framesOf(site.stack);
  const [own, loading] = frames.map(nameIn);
  return own !== undefined && own === loading ? frames.slice(1) : frames;
}

/**
 * Puts the frames of a call under those of an error, unless the error has them already. Values that are no errors, and errors that
 * cannot be changed, stay as they are.
 *
 * @returns the error
 */
export function withCallSite(error: unknown, site: CallSite): unknown {
  if (typeof error !== 'object' || error === null) return error;
  try {
    const { stack } = error as { stack?: unknown };
    const frames = framesOfCall(site);
    const own = framesOf(stack);
    // The first frame of the call is the library's; the second is the user's, and enough to tell one call from others.
    if (typeof stack !== 'string' || frames.length === 0 || own.includes(frames[1] ?? (frames[0] as string)))
      return error;
    setStack(error as Error, [stack, ...frames.filter((frame) => !own.includes(frame))].join('\n'));
  } catch {
    // A getter that throws, or a frozen error.
  }
  return error;
}

/** `(url:1:2)` at the end of a frame, and its like in other engines. */
const PLACE = /((?:[a-z][\w+.-]*:\/\/|\/|[A-Z]:\\).*):(\d+):\d+\)?$/;

/** The place of the user's call in a file; undefined where frames do not tell. */
export function placeOf(site: CallSite, name: string): CallPlace | undefined {
  const [own = '', caller = own] = framesOfCall(site);
  // JavaScriptCore leaves out the frame of the public function, whose last act is a call.
  const isThere = [` ${name} (`, `.${name} (`].some((called) => own.includes(called)) || own.startsWith(`${name}@`);
  const [, module, line] = PLACE.exec(isThere ? caller : own) ?? [];
  return module === undefined ? undefined : { module, line: Number(line) };
}
