/** Runs what a job says, on this host: a task in the pool, as a whole or piece by piece, and a host function on the main thread. */
import { type ForkJoinPool, TaskRegistrationError, WorkerCrashError } from 'furcate';
import { findHostFunction } from '../host-function.js';
import { coreOf, packOutcome, unpackTask, unpackValue } from '../library.js';
import { kindOf, type PayloadKind, unpackCall } from '../link/job-kind.js';
import { Piecework, type PieceworkEnd, type RunPiece } from './piecework.js';

/** Outcome of a job. */
export interface JobOutcome {
  readonly failed: boolean;
  readonly value: unknown;
}

/** A job that was shared: some of its parts are done. */
export type SharedJob = Extract<PieceworkEnd, { isShared: true }>;

/** Environment in which jobs of a host run. */
export interface JobPlace {
  readonly pool: ForkJoinPool;
  readonly host: string;
  readonly version: string;
}

/** A job as it has arrived. */
export interface ArrivedJob {
  /** Says what the bytes are. */
  readonly kind: string;
  /** Gives the bytes of the job; they may have to be fetched. */
  bytes(): Promise<Uint8Array>;
  /** The version of the client's program. */
  readonly version: string;
  /** Number of times that tasks have been shared that it was a part of. */
  readonly shares: number;
}

/** Control by which the host reaches a job that runs. */
export interface JobControl {
  readonly signal: AbortSignal;
  /** Takes what runs the job piece by piece, if something does. */
  onPieces(work: Piecework): void;
}

/** Runs a job; never throws. */
export async function endOf(
  { kind, bytes, version, shares }: ArrivedJob,
  place: JobPlace,
  control: JobControl,
): Promise<JobOutcome | SharedJob> {
  try {
    if (version !== place.version)
      throw new TaskRegistrationError(
        `furcate: host '${place.host}' runs version '${place.version}' of the program, and the job comes from version '${version}'. Start hosts of that version.`,
      );
    const end = await run({ kind: kindOf(kind), bytes: await bytes(), shares }, place, control);
    return end.isShared ? end : { failed: false, value: end.value };
  } catch (value) {
    return { failed: true, value };
  }
}

async function run(
  { kind, bytes, shares }: { readonly kind: PayloadKind; readonly bytes: Uint8Array; readonly shares: number },
  { pool, host }: JobPlace,
  { signal, onPieces }: JobControl,
): Promise<PieceworkEnd> {
  if (kind === 'tree') {
    const runPiece: RunPiece = (task, ends, onLate) => coreOf(pool).submit(task, { signal: ends, onLate }, 0);
    const work = new Piecework(unpackTask(bytes), runPiece, { signal, shares });
    onPieces(work);
    return work.run();
  }
  if (kind === 'task') return { isShared: false, value: await pool.invoke(unpackTask(bytes), { signal }) };
  const { url, name, argument } = unpackCall(bytes);
  const fn = findHostFunction({ url, name });
  return { isShared: false, value: await fn(unpackValue(argument), { pool, signal, host }) };
}

/** An outcome as bytes. A result or an error that cannot cross is a failure, which says so. */
export function bytesOf(outcome: JobOutcome): Uint8Array {
  try {
    return packOutcome(outcome);
  } catch (value) {
    return bytesOfFailure(value);
  }
}

/** @param value why an outcome cannot cross; it may be what an accessor of the outcome has thrown */
function bytesOfFailure(value: unknown): Uint8Array {
  try {
    return packOutcome({ failed: true, value });
  } catch {
    const unreadable = new TypeError(
      'furcate: a job has returned or thrown a value that cannot be read: reading it throws.',
    );
    return packOutcome({ failed: true, value: unreadable });
  }
}

/** Checks whether a job has failed because a worker of the pool has died. */
export function isCrash({ failed, value }: JobOutcome): boolean {
  try {
    return failed && WorkerCrashError.is(value);
  } catch {
    return false; // a proxy that throws
  }
}
