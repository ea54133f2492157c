/**
 * Is there stack left to finish what is begun? Asked before a join takes a task; runs on every thread that computes.
 *
 * Whoever takes a record must settle it, or its forker waits for ever. A body may overflow the stack, and is caught; the
 * few frames around it that bring the outcome home must not. So a join far down the stack, which is where joins help,
 * first makes sure of more stack than they need: it pushes that many arguments, which the engine checks.
 */

/** 128 KiB; 5 us to push. 48 were enough on Node 20: functions that run for the first time are compiled on this stack. */
const ROOM_WORDS = 16384;

/** Made when first asked for: a fresh worker would collect garbage the sooner. */
let words: readonly undefined[] | undefined;
const nothing = (): void => {};

/** @throws RangeError (the engine's own) when the stack is nearly full */
export const requireStackRoom = (): void => {
  words ??= new Array<undefined>(ROOM_WORDS).fill(undefined);
  Reflect.apply(nothing, undefined, words);
};

export function hasStackRoom(): boolean {
  try {
    requireStackRoom();
    return true;
  } catch {
    return false;
  }
}

/** Whether an engine threw an error because its stack was used up: V8 and JavaScriptCore, or SpiderMonkey. */
export function isStackOverflow(error: unknown): boolean {
  const { name, message } = (error ?? {}) as Partial<Error>;
  if (name === 'InternalError') return message === 'too much recursion';
  return name === 'RangeError' && typeof message === 'string' && message.startsWith('Maximum call stack size exceeded');
}
