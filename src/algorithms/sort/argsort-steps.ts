/**
 * The two forms of a call that needs several argsorts, one after the other: it gives a promise, or the value itself; runs on the
 * calling thread.
 */
import { admit, type CallOptions, stalled } from '../../core/engine.js';
import { type Checked, formOf } from '../call/options.js';
import { type PreparedCall, settle, settleSync } from '../call/settle.js';
import { orderBy } from './comparator.js';
import type { Argsort } from './item-order.js';
import { beginArgsort } from './sort-job.js';

/** Checks everything first. Then it asks for argsorts, as functions that begin them, and gets the indices. */
export type Steps<R> = Generator<() => PreparedCall<Uint32Array>, R, Uint32Array>;

/** Makes the steps of a call by its arguments; errors call it `name`. */
type StepsOf<Args extends unknown[], R> = (name: string, ...args: Args) => Steps<R>;

/** The promise form. */
export async function settleSteps<Args extends unknown[], R>(
  name: string,
  stepsOf: StepsOf<Args, R>,
  ...args: Args
): Promise<R> {
  const stall = stalled(name);
  if (stall !== undefined) return stall;
  const steps = stepsOf(name, ...args);
  let step = steps.next();
  while (step.done !== true) step = steps.next(await settle(name, step.value));
  return step.value;
}

/** The Sync form. */
export function settleStepsSync<Args extends unknown[], R>(name: string, stepsOf: StepsOf<Args, R>, ...args: Args): R {
  const steps = stepsOf(name, ...args);
  let step = steps.next();
  while (step.done !== true) step = steps.next(settleSync(name, step.value));
  return step.value;
}

/** The argsorts that are asked for to order items of a call. They report the progress of the call, but not its end. */
export function* argsorts(name: string, options: Checked, length: number, asked: Argsort): Steps<Uint32Array> {
  const ordering = orderBy(name, withoutEnd(options, length));
  let step = asked.next();
  for (;;) {
    admit(options.call, name, formOf(name)); // it may have been aborted between two steps, or by a function of the user's
    if (step.done === true) return step.value;
    const keys = step.value;
    step = asked.next(yield () => beginArgsort(keys, ordering));
  }
}

/** Options for the steps of a call: they report progress in the elements of the call, which only grows, but not its end. */
function withoutEnd(options: Checked, length: number): Checked {
  const { onProgress } = options.call;
  if (onProgress === undefined) return options;
  let latest = 0;
  const call: CallOptions = {
    ...options.call,
    onProgress(done, total) {
      if (total !== length || done <= latest || done === total) return; // steps for what is still tied have fewer
      latest = done;
      onProgress(done, total);
    },
  };
  return { ...options, call };
}
