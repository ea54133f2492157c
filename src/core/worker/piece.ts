/** The end of each piece of work that calls functions of the user's; runs on every thread that computes. */
import { checkContext, type ShippedContext } from '../code/context.js';
import { thread } from './worker-slot.js';

/**
 * A piece of a task has ended that calls functions of the user's. They have returned, so what they got of a `workerLocal` is free (`Running`); and they must not
 * have written to their context.
 *
 * @param context of the functions
 * @param called the name of the functions in errors
 * @param atOnce as for `checkContext`
 * @throws TypeError that names an array which was written to
 */
export function endPiece(context: ShippedContext | undefined, called: string, atOnce: boolean): void {
  if (thread.running !== undefined) thread.running = { below: thread.running.below };
  if (context !== undefined) checkContext(context, called, atOnce);
}
