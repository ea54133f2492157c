/** Tasks that cannot be written to; runs on every thread. */
import { isStackOverflow } from '../code/engine-messages.js';

/** The failure of a task whose object refuses its state or its result. In JavaScriptCore a write takes stack, and may find none. */
export const unwritable = (name: string, cause: unknown): Error =>
  isStackOverflow(cause)
    ? cause
    : new TypeError(
        `furcate: ${name} cannot be written to, but a task keeps its state and its result in itself. Do not freeze it: use Object.seal(), or freeze what its fields hold.`,
        { cause },
      );
