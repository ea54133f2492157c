/**
 * Where a call of the library stands in the user's program, for the stacks of errors that come from elsewhere: a stack made
 * on a worker, or in a function that is compiled from its text, ends before it comes to a file of the user's; runs on the
 * thread that calls.
 */

const FRAME = /^ +at /;

/** A frame of the engine's own functions, which says nothing about who called them. */
const NATIVE_FRAME = /(^ +at |\()<anonymous>\)?$/;

/** The lines of a stack that are frames. */
const framesOf = (stack: unknown): string[] =>
  typeof stack === 'string' ? stack.split('\n').filter((line) => FRAME.test(line)) : [];

/** The innermost frame that is not the engine's. */
export const topFrame = (stack: unknown): string | undefined =>
  framesOf(stack).find((frame) => !NATIVE_FRAME.test(frame));

function setStack(error: Error, stack: string): void {
  Object.defineProperty(error, 'stack', { value: stack, writable: true, configurable: true });
}

/** Gives an error the frames of its cause, which are the interesting ones, under its own message. */
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

type Frameless = (...args: never) => unknown;

interface V8Error {
  captureStackTrace?(target: object, above: Frameless): void;
}

/**
 * The frames that stand here.
 *
 * @param above the library's function whose callers count: it and what it called are left out
 */
export function callSite(above: Frameless): CallSite {
  const { captureStackTrace } = Error as V8Error;
  if (captureStackTrace === undefined) return {};
  const site: CallSite = {};
  captureStackTrace(site, above);
  return site;
}

const nameIn = (frame: string | undefined): string | undefined => /^ +at (?:async )?([\w$]+) \(/.exec(frame ?? '')?.[1];

/** From the public function on: one frame of it, where it stands behind another of its name, which has loaded its family. */
function framesOfCall(site: CallSite): string[] {
  const frames = framesOf(site.stack);
  const [own, loading] = frames.map(nameIn);
  return own !== undefined && own === loading ? frames.slice(1) : frames;
}

/**
 * Puts the frames of a call under those of an error, unless they are there already. What is no error stays as it is, and so
 * does an error that cannot be changed.
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
