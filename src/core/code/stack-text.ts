/**
 * Stacks as text, in the form of V8: what their lines say, and errors that carry on another one's; runs on every thread.
 */

const FRAME = /^ +at /;

/** A frame of the engine's own functions, which says nothing about who called them. */
const NATIVE_FRAME = /(^ +at |\()<anonymous>\)?$/;

/** The lines of a stack that are frames. */
export const framesOf = (stack: unknown): string[] =>
  typeof stack === 'string' ? stack.split('\n').filter((line) => FRAME.test(line)) : [];

/** The innermost frame that is not the engine's. */
export const topFrame = (stack: unknown): string | undefined =>
  framesOf(stack).find((frame) => !NATIVE_FRAME.test(frame));

export function setStack(error: Error, stack: string): void {
  Object.defineProperty(error, 'stack', { value: stack, writable: true, configurable: true });
}

/** Gives an error the frames of its cause, which are the interesting ones, under its own message. */
export function takeFrames<E extends Error>(error: E, cause: unknown): E {
  const { stack, message } = cause as { stack?: unknown; message: string };
  // A function, since in a text `$&` and the like would be patterns.
  if (typeof stack === 'string')
    setStack(
      error,
      stack.replace(message, () => error.message),
    );
  return error;
}
