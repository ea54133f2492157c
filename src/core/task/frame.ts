/** A function of the user's in a frame of its own, as if a task had been forked and joined at once, but without a fork; runs on every thread that computes. */
import { local } from '../deque/private-stack.js';
import { inspect, slow, unwind } from './slow-paths.js';

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
    if (typeof result === 'object' && result !== null) inspect(result, () => nameOf(x), cure);
    if (local.sp !== i) slow.finish(i);
    local.base = base;
    return result;
  } catch (error) {
    local.base = base; // first: the stack may not suffice for the rest
    throw unwind(i, base, error);
  }
}
