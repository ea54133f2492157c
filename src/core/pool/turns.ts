/**
 * Jobs that run on the thread that calls, step by step: between steps the event loop turns, so that timers, signals and a page's frames are
 * not kept waiting. One job runs at a time, the most urgent first, as on a pool of one thread.
 */
import { turn } from '../platform/host.js';
import { CALLER_SLICE_MS } from '../tuning.js';
import { PRIORITIES, type Priority } from './options.js';

/** Cancellation of a job. */
interface End {
  readonly cancelled: { readonly error: unknown } | undefined;
}

interface SteppedJob {
  readonly steps: Iterator<unknown, unknown>;
  readonly end: End;
  readonly priority: number;
  /** Runs a part of the job as one that computes. */
  readonly within: (body: () => void) => void;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class Turns {
  /** The first one runs. */
  readonly #line: SteppedJob[] = [];
  #runs: SteppedJob | undefined;
  #goes = false;

  /** Begins at once if nothing else runs. The promise settles once nothing of the job runs any more. */
  run(
    steps: Iterator<unknown, unknown>,
    end: End,
    priority: Priority,
    within: (body: () => void) => void,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const job = { steps, end, priority: PRIORITIES.indexOf(priority), within, resolve, reject };
      const place = this.#line.findIndex((other) => other.priority > job.priority);
      this.#line.splice(place < 0 ? this.#line.length : place, 0, job);
      if (!this.#goes) void this.#go();
    });
  }

  /** Ends the jobs that were cancelled. What runs at this moment ends at its next checkpoint instead. */
  look(): void {
    for (const job of [...this.#line])
      if (job.end.cancelled !== undefined && job !== this.#runs)
        this.#settle(job, () => job.reject(job.end.cancelled?.error));
  }

  async #go(): Promise<void> {
    this.#goes = true;
    while (this.#line.length > 0) {
      this.#slice(this.#line[0]);
      await turn();
    }
    this.#goes = false;
  }

  #slice(job: SteppedJob): void {
    const untilMs = performance.now() + CALLER_SLICE_MS;
    this.#runs = job;
    let ended: (() => void) | undefined;
    try {
      job.within(() => {
        do {
          const { done, value } = job.steps.next();
          if (done === true) ended = () => job.resolve(value);
        } while (ended === undefined && performance.now() < untilMs && this.#line[0] === job);
      });
    } catch (error) {
      ended = () => job.reject(error);
    }
    this.#runs = undefined;
    const { cancelled } = job.end;
    if (cancelled !== undefined) ended = () => job.reject(cancelled.error);
    if (ended !== undefined) this.#settle(job, ended);
  }

  #settle(job: SteppedJob, end: () => void): void {
    this.#line.splice(this.#line.indexOf(job), 1);
    job.steps.return?.(); // of one that was cancelled: it frees what it holds
    end();
  }
}
