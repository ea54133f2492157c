/**
 * A function of the user's in a frame of its own, as if a task had been forked and joined at once, but without a fork; runs on every thread that
 * computes.
 *
 * The protocol of a frame, wherever a body runs:
 *
 * 1. The frame begins at the top of the private stack: `base = sp`. Joins in it see what lies above.
 * 2. The body runs. A promise that it returns is refused (`inspect`).
 * 3. The body has returned: forks that it has not joined are completed (`slow.finish`), then `base` is put back.
 * 4. The body has thrown, or 3 has: `base` is put back first, since the stack may not suffice for the rest; then its forks are cancelled or awaited
 *    (`unwind`).
 *
 * Three places write this out again, because V8 must see their bodies' calls: `join` of task objects and `runTask` (fork-join-task.ts), which also
 * write the state of the task, and `join` of functions (function-task.ts), which is inlined by the length of its bytecode.
 */
import { local } from '../deque/private-stack.js';
import { inspect, slow, unwind } from './slow-paths.js';

/** As a function of its own: V8 would make a context for each frame, since a closure is made here. */
const inspectOf = (result: object, nameOf: (x: number) => string, x: number, cure: string): void =>
  inspect(result, () => nameOf(x), cure);

/**
 * Calls `body(x)`. What it forks is completed when this returns or throws, and its handles are valid no longer.
 *
 * @param nameOf names the function in errors
 * @param cure what to do where it returns a promise
 * @throws what the function throws; TypeError if it returns a promise
 */
export function inFrame(body: (x: number) => unknown, x: number, nameOf: (x: number) => string, cure: string): unknown {
  const i = local.sp;
  const base = local.base;
  local.base = i;
  try {
    const result = body(x);
    if (typeof result === 'object' && result !== null) inspectOf(result, nameOf, x, cure);
    if (local.sp !== i) slow.finish(i);
    local.base = base;
    return result;
  } catch (error) {
    local.base = base; // first: the stack may not suffice for the rest
    throw unwind(i, base, error);
  }
}
