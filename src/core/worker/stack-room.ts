/**
 * Is there enough stack left? Asked before a join takes a task; runs on every thread that computes.
 *
 * A thread that takes a record must complete it, or the forker waits for ever. A body may overflow the stack, which is caught. The
 * few frames around the body that write its outcome must not overflow. So a join first makes sure that there is more stack than
 * they need: it pushes that many arguments, and the engine checks whether they fit.
 */

/** Arguments to push (words): 128 KiB, which take 5 us. Node 20 needs 48 KiB, because it compiles functions on this stack. */
const ROOM_WORDS = 16384;

/** Made on first use, so that a new worker does not collect garbage sooner. */
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
