/** Crash of a worker group, and what users are told of it; runs on the thread that owns the pool. */
import { isError } from '../code/object-kind.js';
import { WorkerCrashError } from '../errors.js';

/** End of a worker that nobody had asked to end. */
export interface Crash {
  /** `worker 2`, or `spare 1`; nothing if the pool itself ended the workers. The error is one that the worker did not catch; it may arrive later. */
  readonly worker: { readonly name: string; readonly error: unknown };
  readonly exitCode: number;
  /** True if a call of the user waits for the worker group, and gets the crash as an error. */
  readonly isReported: boolean;
  /** Reason why the pool itself ended the workers, if it did. */
  readonly endedBecause?: string;
}

const endOf = ({ worker, exitCode }: Crash, pool: string): string =>
  `${worker.name} of pool '${pool}' ended with exit code ${exitCode}`;

export const reasonOf = (error: unknown): string => (isError(error) ? `: ${error.message.replace(/\.$/, '')}` : '');

/** An error as its stack tells of it. In Firefox and Safari a stack is frames alone, without the message. */
function told(error: unknown): string {
  const { stack, message } = Object(error) as { stack?: unknown; message?: unknown };
  if (typeof stack !== 'string') return String(error);
  return stack.includes(String(message)) ? stack : `${String(error)}\n${stack}`;
}

/** The warning about a crash that no call waits for. */
export function crashWarning(crash: Crash, pool: string): string {
  const { error } = crash.worker;
  const why = error === undefined ? '' : ` for an error outside of tasks:\n${told(error)}`;
  return `furcate: ${endOf(crash, pool)} while nothing was in flight${why}`;
}

/** Error for the calls that were in flight. */
export function crashError(crash: Crash, running: string, pool: string): WorkerCrashError {
  const { worker, exitCode, endedBecause } = crash;
  const next = 'The pool starts new workers for the next call.';
  if (endedBecause !== undefined) {
    const what = `furcate: the workers of pool '${pool}' were ended, because ${endedBecause}. ${next}`;
    return new WorkerCrashError(what, { running });
  }
  const what = `furcate: ${endOf(crash, pool)} while ${running} was in flight${reasonOf(worker.error)}. ${next}`;
  return new WorkerCrashError(what, {
    running,
    exitCode,
    ...(worker.error === undefined ? {} : { cause: worker.error }),
  });
}
