/**
 * Limits the time for which a job may run at a host. One that runs for longer is aborted, and fails: it is not tried again, since another host would
 * need as long.
 */
import { CancellationError } from 'furcate';
import { after } from '../library.js';
import { HEADER } from '../link/names.js';
import type { JobMessage } from './job-message.js';
import type { JobOutcome } from './run-job.js';

/** Time for which a job may run (milliseconds). @param mostMs what the host allows; the client may allow less */
export function limitOf(job: JobMessage, mostMs = Number.POSITIVE_INFINITY): number {
  const asked = Number(job.header(HEADER.timeout));
  return asked > 0 ? Math.min(asked, mostMs) : mostMs;
}

export class TimeLimit {
  /** Aborted when the time is over, or the call is cancelled. */
  readonly signal: AbortSignal;
  readonly #cancelled: AbortSignal;
  #isOver = false;
  readonly #job: JobMessage;
  readonly #ms: number;
  readonly #stopTimer: () => void;

  /**
   * @param cancelled aborted when the call is cancelled
   * @param mostMs what the host allows; the client may allow less
   */
  constructor(job: JobMessage, cancelled: AbortSignal, mostMs = Number.POSITIVE_INFINITY) {
    this.#job = job;
    this.#cancelled = cancelled;
    this.#ms = limitOf(job, mostMs);
    // Not AbortSignal.any(): Node keeps such a signal for good where somebody still listens to it, as host functions do.
    if (this.#ms === Number.POSITIVE_INFINITY) {
      this.signal = cancelled;
      this.#stopTimer = () => {};
      return;
    }
    const ends = new AbortController();
    this.signal = ends.signal;
    if (cancelled.aborted) ends.abort(cancelled.reason);
    else cancelled.addEventListener('abort', () => ends.abort(cancelled.reason), { once: true });
    this.#stopTimer = after(this.#ms, () => {
      this.#isOver = true;
      ends.abort();
    });
  }

  /** Returns the end of a job as it is, unless the job's time was over. */
  end<T>(end: T): T | JobOutcome {
    this.#stopTimer();
    if (!this.#isOver || this.#cancelled.aborted) return end;
    const message = `furcate: a job of ${this.#job.header(HEADER.what)} ran for longer than ${this.#ms} ms, the time that a job may take. Split it, or allow more by options.jobTimeoutMs of the call, or of the host.`;
    return { failed: true, value: new CancellationError(message, { reason: 'timeout' }) };
  }
}
