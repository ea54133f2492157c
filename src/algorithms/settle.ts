/**
 * The two endings of every algorithm: a promise, or the value itself; runs on the calling thread.
 *
 * A call begins by checking everything, and may be done then; else it has a job for the pool. Whatever happens to the job,
 * the call's shared memory is freed after it.
 */
import { type CallOptions, type Form, runJob, runJobSync, stalled } from '../core/pool/call.js';
import type { Forkable } from '../core/task/function-task.js';
import type { JobKind } from '../core/worker/job.js';

/** What `runJob` and `runJobSync` take; `J` is what the root task returns. */
export type PoolJob<J> = readonly [
  call: CallOptions,
  total: number,
  kind: JobKind<object, unknown>,
  spec: object,
  root: Forkable<[job: number, lo: number, hi: number], J>,
  lo: number,
  hi: number,
];

/** A call that was checked: done, or with work left for a pool. */
export interface Begun<R, J> {
  /** Undefined when the caller has done it all. */
  readonly job: PoolJob<J> | undefined;
  /** The result, once all is done; `value` is what the job's root returned, if there was a job. */
  result(value: J | undefined): R;
  /** Called when the job failed, and nothing of it runs any more. */
  failed?(): void;
  /** Frees the shared memory of the call. */
  release?(): void;
}

/** Begins a call, as `name` has it in its errors. */
export type Begin<R, J> = (name: string, form: Form) => Begun<R, J>;

/** The promise form. */
export async function settle<R, J>(name: string, begin: Begin<R, J>): Promise<R> {
  const stall = stalled(name);
  if (stall !== undefined) return stall;
  const begun = begin(name, 'promise');
  if (begun.job === undefined) return begun.result(undefined);
  try {
    return begun.result((await runJob(...begun.job)) as J);
  } catch (error) {
    begun.failed?.();
    throw error;
  } finally {
    begun.release?.();
  }
}

/** The Sync form. */
export function settleSync<R, J>(name: string, begin: Begin<R, J>): R {
  const begun = begin(name, 'sync');
  if (begun.job === undefined) return begun.result(undefined);
  try {
    return begun.result(runJobSync(...begun.job) as J);
  } catch (error) {
    begun.failed?.();
    throw error;
  } finally {
    begun.release?.();
  }
}
