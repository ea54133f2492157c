/** How long a job may run at a host. One that runs for longer is aborted, and fails: it is not tried again, since another host would need as long. */
import { CancellationError } from 'furcate';
import { HEADER } from '../link/names.js';
import type { JobMessage } from './job-message.js';
import type { Outcome } from './run-job.js';

/** The longest delay of a timer (milliseconds). */
const MOST_MS = 2 ** 31 - 1;

/** How long a job may run (milliseconds). @param mostMs what the host allows; the client may allow less */
export function limitOf(job: JobMessage, mostMs = Number.POSITIVE_INFINITY): number {
  const asked = Number(job.header(HEADER.timeout));
  return asked > 0 ? Math.min(asked, mostMs) : mostMs;
}

export class TimeLimit {
  /** Aborted when the time is over, or the call is cancelled. */
  readonly signal: AbortSignal;
  readonly #cancelled: AbortSignal;
  readonly #over = new AbortController();
  readonly #job: JobMessage;
  readonly #ms: number;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param cancelled aborted when the call is cancelled
   * @param mostMs what the host allows; the client may allow less
   */
  constructor(job: JobMessage, cancelled: AbortSignal, mostMs = Number.POSITIVE_INFINITY) {
    this.#job = job;
    this.#cancelled = cancelled;
    this.#ms = limitOf(job, mostMs);
    const isLimited = this.#ms <= MOST_MS;
    this.signal = isLimited ? AbortSignal.any([cancelled, this.#over.signal]) : cancelled;
    this.#timer = isLimited ? setTimeout(() => this.#over.abort(), this.#ms) : undefined;
  }

  /** How a job ends that has ended so: as it has, unless its time was over. */
  end<T>(end: T): T | Outcome {
    clearTimeout(this.#timer);
    if (!this.#over.signal.aborted || this.#cancelled.aborted) return end;
    const message = `furcate: a job of ${this.#job.header(HEADER.what)} ran for longer than ${this.#ms} ms, the time that a job may take. Split it, or allow more by options.jobTimeoutMs of the call, or of the host.`;
    return { failed: true, value: new CancellationError(message, { reason: 'timeout' }) };
  }
}
