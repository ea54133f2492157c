/**
 * Orders all flights by delay, as a plain sort and as Furcate's.
 *
 * Delay and row are packed into one float64 (delay * 2^32 + row, exact below 2^53). So a sort of numbers orders flights, and no two keys
 * are equal.
 */
import { type ForkJoinPool, parallelFor, parallelSort, sharedArray } from 'furcate';
import type { Flights } from './data/flights.js';

const KEYS_PER_MINUTE = 2 ** 32;

export class Latest {
  readonly #flights: Flights;
  readonly #pool: ForkJoinPool;
  readonly #plain: Float64Array;
  readonly #shared: Float64Array;

  constructor(flights: Flights, pool: ForkJoinPool) {
    this.#flights = flights;
    this.#pool = pool;
    this.#plain = new Float64Array(flights.count);
    this.#shared = sharedArray(Float64Array, flights.count);
  }

  plain(): void {
    const { delay } = this.#flights;
    const keys = this.#plain;
    for (let row = 0; row < keys.length; row++) keys[row] = delay[row] * KEYS_PER_MINUTE + row;
    keys.sort();
  }

  async furcate(): Promise<void> {
    const pool = this.#pool;
    const context = { delay: this.#flights.delay, keys: this.#shared, step: KEYS_PER_MINUTE };
    await parallelFor(
      this.#flights.count,
      (row, { delay, keys, step }) => {
        keys[row] = delay[row] * step + row;
      },
      { pool, context },
    );
    await parallelSort(this.#shared, { pool });
  }

  /** Whether both sorts gave the same order of all flights. */
  areEqual(): boolean {
    return this.#plain.every((key, i) => key === this.#shared[i]);
  }

  /** The rows of the latest of all flights that `selects` accepts, the latest first. Looks at the order that Furcate made. */
  rows(howMany: number, selects: (row: number) => boolean): number[] {
    const found: number[] = [];
    for (let i = this.#shared.length - 1; i >= 0 && found.length < howMany; i--) {
      const key = this.#shared[i];
      const row = key - Math.floor(key / KEYS_PER_MINUTE) * KEYS_PER_MINUTE;
      if (selects(row)) found.push(row);
    }
    return found;
  }
}
