/** Error of a task that has used up the stack of its thread; runs on every thread. */
import { isStackOverflow } from '../code/engine-messages.js';

/** The same error on every engine, whose own is the cause: V8's is a `RangeError`, SpiderMonkey's is an `InternalError`. */
export const stackUsedUp = (cause: unknown): RangeError =>
  new RangeError(
    'furcate: the stack is used up: tasks nest too deep, or a function calls itself too often. Split work in halves, not piece by piece. Node gives workers larger stacks: resourceLimits: { stackSizeMb }.',
    { cause },
  );

/** Returns what a body threw, or `stackUsedUp`, as long as the stack suffices for telling. */
export const asStackError = (thrown: unknown): unknown => {
  try {
    return isStackOverflow(thrown) ? stackUsedUp(thrown) : thrown;
  } catch {
    return thrown; // by a getter; or the next frame has the room to tell
  }
};
