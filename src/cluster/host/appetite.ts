/**
 * Number of jobs that a host takes at the same time. A job has the whole pool, since it may fork; one more is taken when that would keep
 * threads busy that have nothing to do: jobs are so short that fetching the next one would cost, or the process leaves cores idle.
 */

/** Jobs shorter than this are fetched ahead (milliseconds): a pull takes 1 to 3. */
const SHORT_MS = 50;
/** Weight of a new duration in the mean. */
const WEIGHT = 0.25;
/** The time over which cores are seen to be idle (milliseconds). */
const WINDOW_MS = 100;
/** Idle share of a core from which another job is taken. */
const IDLE_CORES = 0.5;

export class Appetite {
  readonly #threads: number;
  #meanMs = Number.POSITIVE_INFINITY;
  #sinceMs = 0;
  #cpuUs = 0;
  #inFlight = 0;
  #hasIdleCores = false;

  constructor(threads: number) {
    this.#threads = threads;
  }

  /**
   * Returns true if the host should take another job beside those that it has.
   *
   * @param oldestMs how long the oldest of them has been running
   */
  wants(inFlight: number, oldestMs: number): boolean {
    if (inFlight === 0) return true;
    if (inFlight > this.#threads) return false;
    return Math.max(this.#meanMs, oldestMs) < SHORT_MS || this.#seesIdleCores(inFlight);
  }

  /** Learns how long a job took. */
  learn(ms: number): void {
    this.#meanMs = this.#meanMs === Number.POSITIVE_INFINITY ? ms : this.#meanMs + WEIGHT * (ms - this.#meanMs);
  }

  #seesIdleCores(inFlight: number): boolean {
    const nowMs = performance.now();
    const { user, system } = process.cpuUsage();
    const cpuUs = user + system;
    const isSame = inFlight === this.#inFlight;
    const elapsedMs = nowMs - this.#sinceMs;
    if (isSame && elapsedMs < WINDOW_MS) return this.#hasIdleCores;
    const busyCores = (cpuUs - this.#cpuUs) / 1000 / elapsedMs;
    this.#sinceMs = nowMs;
    this.#cpuUs = cpuUs;
    this.#inFlight = inFlight;
    this.#hasIdleCores = isSame && busyCores < this.#threads - IDLE_CORES;
    return this.#hasIdleCores;
  }
}
