/**
 * Tracks the leases of a host: when the server has last heard of its jobs. A lease may be over before the host hears of it, as after the
 * process was frozen. So the host doubts a lease that was not renewed in time, and looks whether the job is still there.
 */
import { sharedNowMs } from './pulse.js';
import type { RunningJob } from './running.js';

export class LeaseClock {
  readonly #leaseMs: number;
  /** Times at which leases were last renewed, and the main thread last turned. */
  #renewedMs = 0;
  #turnedMs = performance.now();

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** @param atMs when the thread that renews leases has done so, by `sharedNowMs` */
  renewed(atMs: number): void {
    this.#renewedMs = performance.now() - (sharedNowMs() - atMs);
  }

  /**
   * To be called now and then.
   *
   * @returns whether the main thread has stood still so long that its leases are in doubt: the process was frozen, or a job has blocked it. The other
   *   thread tells which, but may be later than a result
   */
  turn(nowMs: number): boolean {
    const stoodMs = nowMs - this.#turnedMs;
    this.#turnedMs = nowMs;
    return stoodMs > this.#doubtMs;
  }

  /** Time for which the server has heard nothing of a job (milliseconds). */
  silentMs({ startedMs }: RunningJob): number {
    return performance.now() - Math.max(this.#renewedMs, startedMs);
  }

  /** Returns true if the lease of a job may be over. */
  isDoubtful(running: RunningJob): boolean {
    return this.silentMs(running) > this.#doubtMs;
  }

  /** Beats come three times in a lease; one may be late, and another program busy. */
  get #doubtMs(): number {
    return this.#leaseMs / 2;
  }
}
