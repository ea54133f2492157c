/** Work of a pool, in all its worker groups, that has not ended, and its waiters; runs on the thread that owns the pool. */
import { inThisContext } from '../platform/caller-context.js';
import { after } from '../worker/grace.js';

export class InFlight {
  readonly #quiet: () => void;
  #count = 0;
  readonly #waiting = new Set<(isQuiet: boolean) => void>();
  /** Callbacks of calls that submit one task after the other, for when the pool is terminated. */
  readonly #held = new Set<(error: unknown) => void>();

  /** @param quiet called whenever the last one has ended */
  constructor(quiet: () => void) {
    this.#quiet = quiet;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get count(): number {
    return this.#count;
  }

  begun(): void {
    this.#count++;
  }

  ended(): void {
    if (--this.#count > 0) return;
    for (const end of this.#waiting) end(true);
    this.#quiet();
  }

  /** Counts a call until the function that it returns is called; `terminated` is called if the pool is terminated before. */
  hold(terminated: (error: unknown) => void): () => void {
    this.begun();
    const bound = inThisContext(terminated);
    this.#held.add(bound);
    return () => {
      this.#held.delete(bound);
      this.ended();
    };
  }

  terminate(error: unknown): void {
    for (const terminated of this.#held) terminated(error);
  }

  /** Resolves once nothing is in flight, or when the time is up; to whether nothing is. */
  whenEmpty(ms: number): Promise<boolean> {
    if (this.isEmpty) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (isQuiet: boolean): void => {
        stopTimer();
        this.#waiting.delete(end);
        resolve(isQuiet);
      };
      const stopTimer = after(ms, () => end(false));
      this.#waiting.add(end);
    });
  }
}
