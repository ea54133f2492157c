/**
 * The two forms of every algorithm: one returns a promise, the other the value itself; runs on the calling thread.
 *
 * `begin` checks everything, and may do the whole call. Otherwise it prepares a job for a pool. Whatever happens to the job, the
 * shared memory of the call is freed afterwards. The stack of an error ends with the user's call.
 */
import { callSite, type PoolJob, runJob, runJobSync, stalled, withCallSite } from '../../core/engine.js';
import type { StagesResult } from '../schedule/stages.js';

/** A call that was checked: done, or with work left for a pool. */
export interface PreparedCall<R> {
  /** Undefined when the caller has done everything. */
  readonly job: PoolJob<StagesResult> | undefined;
  /** The result, once all is done; `value` is what the job's root returned, if there was a job. */
  result(value: StagesResult | undefined): R;
  /** Called when the job has failed, and nothing of it runs any more. */
  failed?(): void;
  /** Frees the shared memory of the call. */
  release?(): void;
}

/** Prepares a call by its arguments; errors call it `name`. */
type Begin<Args extends unknown[], R> = (name: string, ...args: Args) => PreparedCall<R>;

/** The promise form. */
export async function settle<Args extends unknown[], R>(
  name: string,
  begin: Begin<Args, R>,
  ...args: Args
): Promise<R> {
  const stall = stalled(name);
  if (stall !== undefined) return stall;
  let prepared: PreparedCall<R> | undefined;
  let site: ReturnType<typeof callSite> | undefined;
  try {
    prepared = begin(name, ...args);
    if (prepared.job === undefined) return prepared.result(undefined);
    site = callSite(settle); // here, because the caller is no longer on the stack after the await; it takes 4 us of at least 50
    return prepared.result(await runJob(prepared.job));
  } catch (error) {
    prepared?.failed?.();
    throw withCallSite(error, site ?? callSite(settle));
  } finally {
    prepared?.release?.();
  }
}

/** The Sync form. */
export function settleSync<Args extends unknown[], R>(name: string, begin: Begin<Args, R>, ...args: Args): R {
  let prepared: PreparedCall<R> | undefined;
  try {
    prepared = begin(name, ...args);
    if (prepared.job === undefined) return prepared.result(undefined);
    return prepared.result(runJobSync(prepared.job));
  } catch (error) {
    prepared?.failed?.();
    throw withCallSite(error, callSite(settleSync));
  } finally {
    prepared?.release?.();
  }
}
