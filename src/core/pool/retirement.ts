/**
 * When idle workers end: after `keepAliveMs` without a call; runs on the thread that owns the pool.
 *
 * A timer that every call sets anew would be a fifth of a short `invokeSync`. So calls only leave a mark, and a timer that
 * finds one starts over.
 */
import { host } from '../platform/host.js';
import { MAX_TIMER_MS } from './timers.js';

export class Retirement {
  readonly #keepAliveMs: number;
  readonly #isBusy: () => boolean;
  readonly #retire: () => void;
  #cancelTimer: (() => void) | undefined;
  /** There was a call since the timer began. */
  #usedLately = false;

  /**
   * @param isBusy whether workers are used now; then whoever uses them calls `later` when that has ended
   * @param retire ends the workers
   */
  constructor(keepAliveMs: number, isBusy: () => boolean, retire: () => void) {
    this.#keepAliveMs = keepAliveMs;
    this.#isBusy = isBusy;
    this.#retire = retire;
  }

  /** The workers have just been used. */
  later(): void {
    this.#usedLately = true;
    if (this.#cancelTimer === undefined) this.#start();
  }

  cancel(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #start(): void {
    if (this.#keepAliveMs > MAX_TIMER_MS) return;
    this.#usedLately = false;
    this.#cancelTimer = host().backgroundTimer(this.#keepAliveMs, () => {
      this.#cancelTimer = undefined;
      if (this.#isBusy()) return;
      if (this.#usedLately) this.#start();
      else this.#retire();
    });
  }
}
