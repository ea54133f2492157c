/**
 * The two endings of every algorithm: a promise, or the value itself; runs on the calling thread.
 *
 * A call begins by checking everything, and may be done then; else it has a job for the pool. Whatever happens to the job,
 * the call's shared memory is freed after it. The stack of an error ends with the call.
 */

import type { JobKind } from '../../core/call/job.js';
import { callSite, withCallSite } from '../../core/code/call-site.js';
import { type CallOptions, type Form, runJob, runJobSync, stalled } from '../../core/pool/call.js';
import type { Forkable } from '../../core/task/function-task.js';
import type { StagesResult } from '../schedule/stages.js';

/** What `runJob` and `runJobSync` take. */
export type PoolJob = readonly [
  call: CallOptions,
  total: number,
  kind: JobKind<object, unknown>,
  spec: object,
  root: Forkable<[job: number, lo: number, hi: number], StagesResult>,
  lo: number,
  hi: number,
  sharedWords: number,
];

/** A call that was checked: done, or with work left for a pool. */
export interface PreparedCall<R> {
  /** Undefined when the caller has done it all. */
  readonly job: PoolJob | undefined;
  /** The result, once all is done; `value` is what the job's root returned, if there was a job. */
  result(value: StagesResult | undefined): R;
  /** Called when the job failed, and nothing of it runs any more. */
  failed?(): void;
  /** Frees the shared memory of the call. */
  release?(): void;
}

/** Begins a call, as `name` has it in its errors. */
export type Begin<R> = (name: string, form: Form) => PreparedCall<R>;

/** The promise form. */
export async function settle<R>(name: string, begin: Begin<R>): Promise<R> {
  const stall = stalled(name);
  if (stall !== undefined) return stall;
  let prepared: PreparedCall<R>;
  try {
    prepared = begin(name, 'promise');
    if (prepared.job === undefined) return prepared.result(undefined);
  } catch (error) {
    throw withCallSite(error, callSite(settle));
  }
  const site = callSite(settle); // 4 us, where a call takes 50 at least: behind the await the caller is not to be had
  try {
    return prepared.result(await runJob(...prepared.job));
  } catch (error) {
    prepared.failed?.();
    throw withCallSite(error, site);
  } finally {
    prepared.release?.();
  }
}

/** The Sync form. */
export function settleSync<R>(name: string, begin: Begin<R>): R {
  let prepared: PreparedCall<R> | undefined;
  try {
    prepared = begin(name, 'sync');
    if (prepared.job === undefined) return prepared.result(undefined);
    return prepared.result(runJobSync(...prepared.job));
  } catch (error) {
    if (prepared?.job !== undefined) prepared.failed?.();
    throw withCallSite(error, callSite(settleSync));
  } finally {
    if (prepared?.job !== undefined) prepared.release?.();
  }
}
