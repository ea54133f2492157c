/**
 * Shows other threads that the main thread turns: it counts up a word of shared memory, and they look whether the word has changed. So they know of a main
 * thread that computes, waits or is deadlocked, and cannot say so itself.
 */
import { add, load } from '../../core/memory/atomics.js';

/** Time between two signs of the main thread that it turns (milliseconds). */
export const PULSE_MS = 100;
/** A main thread that stands still for this long is blocked (milliseconds); less is a moment, as on a machine with much to do. */
export const BLOCKED_MS = 1000;
/** Default time for which jobs may block the main thread of a host (ms): long computations belong into the pool. */
export const BLOCK_TIMEOUT_MS = 600_000;

/** The time by a clock that all threads of a process share (milliseconds). */
export const sharedNowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/**
 * Counts in a word for as long as the calling thread turns.
 *
 * @param words in shared memory
 * @returns ends it
 */
export function startPulse(words: Int32Array, at = 0): () => void {
  const timer = setInterval(() => add(words, at, 1), PULSE_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Looks at the pulse of another thread. */
export class Standstill {
  readonly #words: Int32Array;
  readonly #at: number;
  readonly #mostStepMs: number;
  #count: number;
  #lookedMs = performance.now();
  /** Time for which the other thread has stood still, as far as this one has seen (milliseconds). */
  ms = 0;

  /** @param everyMs how often `look` is called */
  constructor(words: Int32Array, everyMs: number, at = 0) {
    this.#words = words;
    this.#at = at;
    this.#mostStepMs = 2 * everyMs;
    this.#count = load(words, at);
  }

  /** The same where the other thread is blocked, else 0: for those who ask. */
  get blockedMs(): number {
    return this.ms < BLOCKED_MS ? 0 : Math.round(this.ms);
  }

  /** A process that was frozen, or a machine that slept, has stopped this thread as well: such a time counts as one step. @returns `ms` */
  look(): number {
    const nowMs = performance.now();
    const stepMs = Math.min(nowMs - this.#lookedMs, this.#mostStepMs);
    const count = load(this.#words, this.#at);
    this.ms = count === this.#count ? this.ms + stepMs : 0;
    this.#count = count;
    this.#lookedMs = nowMs;
    return this.ms;
  }
}
