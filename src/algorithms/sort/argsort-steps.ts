/**
 * The two forms of a call that needs several argsorts, one after the other: it gives a promise, or the value itself; runs on the
 * calling thread.
 */
import { admit, type CallOptions, type Form, stalled } from '../../core/pool/call.js';
import type { Checked } from '../call/options.js';
import { settle, settleSync } from '../call/settle.js';
import { orderBy } from './comparator.js';
import type { Argsort } from './item-order.js';
import { beginArgsort } from './sort-job.js';

/** A call that was checked. */
export interface Steps<R> {
  readonly options: Checked;
  /** How many elements the call has. */
  readonly length: number;
  /** Asks for argsorts; gives indices. */
  readonly steps: Argsort;
  /** The result, once there are the indices. */
  finish(order: Uint32Array): R;
}

/** Begins a call, as `name` has it in its errors, by checking everything. */
type BeginSteps<R> = (name: string, form: Form) => Steps<R>;

/** The promise form. */
export async function settleSteps<R>(name: string, begin: BeginSteps<R>): Promise<R> {
  const stall = stalled(name);
  if (stall !== undefined) return stall;
  const call = begin(name, 'promise');
  const ordering = orderBy(name, withoutEnd(call));
  let step = call.steps.next();
  while (step.done !== true) {
    const keys = step.value;
    admit(call.options.call, name, 'promise'); // it may have been aborted between two steps
    step = call.steps.next(await settle(name, () => beginArgsort(keys, ordering)));
  }
  return finish(call, step.value);
}

/** The Sync form. */
export function settleStepsSync<R>(name: string, begin: BeginSteps<R>): R {
  const call = begin(name, 'sync');
  const ordering = orderBy(name, withoutEnd(call));
  let step = call.steps.next();
  while (step.done !== true) {
    const keys = step.value;
    step = call.steps.next(settleSync(name, () => beginArgsort(keys, ordering)));
  }
  return finish(call, step.value);
}

function finish<R>(call: Steps<R>, order: Uint32Array): R {
  const result = call.finish(order);
  call.options.call.onProgress?.(call.length, call.length);
  return result;
}

/** Options for the steps of a call: they report progress in the elements of the call, which only grows, but not its end. */
function withoutEnd({ options, length }: Steps<unknown>): Checked {
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
