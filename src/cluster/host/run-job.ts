/** Runs what a job says, on this host: a task in the pool, a host function on the main thread. */
import { type ForkJoinPool, TaskRegistrationError } from 'furcate';
import { findHostFunction } from '../host-function.js';
import { packOutcome, unpackTask, unpackValue } from '../library.js';
import type { HostCall, JobKind } from '../link/job-kind.js';

/** How a job has ended. */
export interface Outcome {
  readonly failed: boolean;
  readonly value: unknown;
}

/** What jobs of a host run with. */
export interface JobPlace {
  readonly pool: ForkJoinPool;
  readonly host: string;
  readonly version: string;
}

/** A job as it has arrived. */
export interface ArrivedJob {
  readonly kind: JobKind;
  readonly bytes: Uint8Array;
  /** The version of the client's program. */
  readonly version: string;
}

/** Runs a job; never throws. */
export async function outcomeOf(
  { kind, bytes, version }: ArrivedJob,
  place: JobPlace,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    if (version !== place.version)
      throw new TaskRegistrationError(
        `furcate: host '${place.host}' runs version '${place.version}' of the program, and the job comes from version '${version}'. Start hosts of that version.`,
      );
    return { failed: false, value: await run(kind, bytes, place, signal) };
  } catch (value) {
    return { failed: true, value };
  }
}

function run(
  kind: JobKind,
  bytes: Uint8Array,
  { pool, host }: JobPlace,
  signal: AbortSignal,
): Promise<unknown> | unknown {
  if (kind !== 'host function') return pool.invoke(unpackTask(bytes), { signal });
  const [url, name, argument] = unpackValue(bytes) as HostCall;
  return findHostFunction({ url, name })(argument, { pool, signal, host });
}

/** An outcome as bytes. A result that cannot cross is a failure, which says so. */
export function bytesOf(outcome: Outcome): Uint8Array {
  try {
    return packOutcome(outcome);
  } catch (value) {
    return packOutcome({ failed: true, value });
  }
}
