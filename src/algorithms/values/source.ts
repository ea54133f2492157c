/**
 * Reads the values of a call, no further than its chunks need; runs on the calling thread.
 *
 * Values that a chunk has left are taken first. An asynchronous iterable is read in advance, by as many values as the next chunk has.
 */

import { sizeOf } from '../../core/engine.js';
import { shown } from '../shown.js';

/** Values in a row. */
export interface Run {
  /** The index of the first. */
  readonly first: number;
  readonly values: readonly unknown[];
}

type AnyIterator = Iterator<unknown> | AsyncIterator<unknown>;

export class Source {
  /** How many values there are; Infinity where nobody knows. */
  readonly total: number;
  readonly #array: readonly unknown[] | undefined;
  #iterator: AnyIterator | undefined;
  readonly #isAsync: boolean;
  readonly #onArrival: () => void;
  /** What was given back, by index. */
  readonly #returned: Run[] = [];
  /** Values of an asynchronous iterable that have arrived. */
  #arrived: unknown[] = [];
  /** How many of them the next chunk would take. */
  #wanted = 0;
  #isReading = false;
  /** The index of the next value that nobody has taken. */
  #next = 0;
  /** Whether it has no more values than those here. */
  #isExhausted = false;
  #failure: { readonly error: unknown } | undefined;

  /** How many values go together: what is taken is a multiple of it, but for the last. */
  readonly #unit: number;

  /** @param onArrival called when there may be something to take, after `take` has found nothing */
  constructor(values: object, unit: number, onArrival: () => void) {
    this.#unit = unit;
    this.#onArrival = onArrival;
    const { length } = values as { length?: unknown };
    const isArray = Array.isArray(values);
    this.#array = isArray ? values : undefined;
    this.#isAsync = !isArray && !(Symbol.iterator in values);
    const known = isArray ? length : sizeOf(values);
    this.total = (known as number | undefined) ?? Number.POSITIVE_INFINITY;
    if (isArray) return;
    const made = this.#isAsync
      ? (values as AsyncIterable<unknown>)[Symbol.asyncIterator]()
      : (values as Iterable<unknown>)[Symbol.iterator]();
    this.#iterator = made;
  }

  /** The index of the first value that `take` would give. */
  get nextIndex(): number {
    return this.#returned[0]?.first ?? this.#next;
  }

  /** Whether nothing is left to take. */
  get isOver(): boolean {
    return (
      this.#isExhausted && this.#arrived.length === 0 && this.#returned.length === 0 && this.#failure === undefined
    );
  }

  /**
   * Up to `count` values, a multiple of the unit; undefined if there are none, or none yet.
   *
   * @throws what the iterable threw
   */
  take(count: number): Run | undefined {
    const returned = this.#returned.shift();
    if (returned !== undefined) {
      if (returned.values.length > count) this.giveBack(returned, count);
      return { first: returned.first, values: returned.values.slice(0, count) };
    }
    const first = this.#next;
    const values = this.#isAsync ? this.#takeArrived(count) : this.#read(count);
    this.#next += values.length;
    if (values.length > 0) return { first, values };
    if (this.#failure !== undefined) {
      const { error } = this.#failure;
      this.#failure = undefined;
      throw error;
    }
    return undefined;
  }

  /** Gives back what a chunk has not done of its values: those from the k-th on. */
  giveBack({ first, values }: Run, k: number): void {
    const rest = { first: first + k, values: values.slice(k) };
    const at = this.#returned.findIndex((run) => run.first > rest.first);
    this.#returned.splice(at < 0 ? this.#returned.length : at, 0, rest);
  }

  /** Up to `count` values; those before the first that cannot be read. */
  #read(count: number): unknown[] {
    const array = this.#array;
    const values: unknown[] = [];
    try {
      if (array !== undefined) {
        const end = Math.min(this.#next + count, this.total);
        for (let i = this.#next; i < end; i++) values.push(array[i]); // a hole is undefined, and slice would keep it
        this.#isExhausted = end >= this.total;
      } else {
        while (values.length < count && !this.#isExhausted)
          this.#accept((this.#iterator as Iterator<unknown>).next(), values);
      }
    } catch (error) {
      this.#fail(error);
    }
    return values;
  }

  #takeArrived(count: number): unknown[] {
    const whole = this.#isExhausted ? count : Math.floor(this.#arrived.length / this.#unit) * this.#unit;
    const values = this.#arrived.splice(0, Math.min(count, whole));
    this.#wanted = count;
    if (!this.#isReading && !this.#isExhausted) void this.#readAhead();
    return values;
  }

  async #readAhead(): Promise<void> {
    this.#isReading = true;
    try {
      while (!this.#isExhausted && this.#arrived.length < this.#wanted) {
        this.#accept(await (this.#iterator as AsyncIterator<unknown>).next(), this.#arrived);
        this.#onArrival();
      }
    } catch (error) {
      this.#fail(error);
      this.#onArrival();
    }
    this.#isReading = false;
  }

  /** Takes what an iterator has given, as `for...of` does: any true value ends it, and a result that is no object is an error. */
  #accept(result: IteratorResult<unknown>, values: unknown[]): void {
    if (Object(result) !== result) throw new TypeError(`furcate: an iterator gave ${shown(result)} for a result.`);
    const { done, value } = result;
    if (done) {
      this.#isExhausted = true;
      this.#iterator = undefined;
    } else if (!this.#isExhausted) values.push(value); // else it was closed meanwhile
  }

  #fail(error: unknown): void {
    if (!this.#isExhausted) this.#failure = { error };
    this.#isExhausted = true;
    this.#iterator = undefined;
  }

  /** Tells the iterable that nobody reads on. */
  close(): void {
    const iterator = this.#iterator;
    this.#iterator = undefined;
    this.#isExhausted = true;
    try {
      void Promise.resolve(iterator?.return?.()).catch(() => {});
    } catch {
      // The call has failed, and has an error already.
    }
  }
}
