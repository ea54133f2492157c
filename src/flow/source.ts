/**
 * Reads what flows, no further than it is asked for; runs on the calling thread.
 *
 * Values are taken in stretches: values in a row, with which work begins together. What was given back is taken first.
 */
import { after, isDetached, isPromise, sizeOf, turn } from '../core/engine.js';
import { isRevoked, show } from '../core/errors.js';
import { NO_TYPE, typeOfView } from '../core/memory/element-types.js';
import { chunksOf } from './web-chunks.js';

/** Values in a row. */
export interface Stretch {
  /** The index of the first. */
  readonly first: number;
  readonly values: readonly unknown[];
}

/** The readable side of a Node stream. */
interface NodeReadable {
  destroy(): unknown;
}

type AnyIterator = Iterator<unknown> | AsyncIterator<unknown>;

export interface SourceOptions {
  /** Called when there may be something to take, after `take` has found nothing. */
  onArrival(): void;
  /** Name for error messages. */
  readonly called: string;
  /** Number of values that go together: what is taken is a multiple of it, but for the last. Default 1. */
  readonly unit?: number;
  /** True to take an array as it is now. Otherwise it is read as it grows. */
  readonly isSnapshot?: boolean;
  /** True if a source that lets us wait is read in advance, by as many values as were taken last. `onArrival` is called when so many are here, or none come for now. */
  readonly readsAhead?: boolean;
}

/** Checks whether a source has a method of this name. */
const has = (source: object, name: PropertyKey): boolean =>
  typeof (source as Record<PropertyKey, unknown>)[name] === 'function';

const isNodeStream = (source: object): source is NodeReadable => has(source, 'pipe') && has(source, 'destroy');

/** Checks whether a value can be read. */
export const isReadable = (source: unknown): source is object =>
  typeof source === 'object' &&
  source !== null &&
  !isRevoked(source) &&
  [Symbol.asyncIterator, Symbol.iterator, 'getReader'].some((name) => has(source, name));

function iteratorOf(source: object, called: string): AnyIterator {
  if (ArrayBuffer.isView(source) && typeOfView(source) !== NO_TYPE && isDetached(source))
    throw new TypeError(
      `furcate: ${called} is a typed array on a buffer that was transferred. Read it before, or pass a copy.`,
    );
  if (has(source, 'getReader')) return chunksOf(source as ReadableStream<unknown>);
  const given: unknown = has(source, Symbol.asyncIterator)
    ? (source as AsyncIterable<unknown>)[Symbol.asyncIterator]()
    : (source as Iterable<unknown>)[Symbol.iterator]();
  if (typeof given === 'object' && given !== null && has(given, 'next')) return given as AnyIterator;
  throw new TypeError(`furcate: ${called} must give an iterator, with a method next(); it gave ${show(given)}.`);
}

/**
 * Longest wait for the end of a source (milliseconds). Pipelines wait so long for one that is being read when the run has enough, or its reader has left;
 * after a failure they do not wait for it. Calls with plain values always do.
 */
export const SOURCE_PATIENCE_MS = 1_000;

/** Generators and streams that were read to their end, or closed. */
const spent = new WeakSet<object>();

export class Source {
  /** Number of values; Infinity where nobody knows. */
  readonly total: number;
  readonly #source: object;
  readonly #options: SourceOptions;
  readonly #unit: number;
  readonly #array: readonly unknown[] | undefined;
  readonly #iterator: AnyIterator | undefined;
  /** Values that were given back, by index. */
  readonly #returned: Stretch[] = [];
  /** Values that were read, and not taken. */
  #arrived: unknown[] = [];
  /** Number of them that are wanted. */
  #wanted = 0;
  /** The promise of the iterator that is awaited. */
  #pending: PromiseLike<unknown> | undefined;
  /** True while an arrival is to be told of after a turn of the event loop. */
  #isTelling = false;
  /** True while the iterator is being asked, so that its code is what runs. */
  #isAsking = false;
  #asked = (): void => {};
  /** The index of the next value that nobody has taken. */
  #next = 0;
  /** True if it has no more values than those here. */
  #isExhausted = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(source: object, options: SourceOptions) {
    this.#source = source;
    this.#options = options;
    this.#unit = options.unit ?? 1;
    this.#array = options.isSnapshot === true && Array.isArray(source) ? source : undefined;
    this.#iterator = this.#array === undefined ? iteratorOf(source, options.called) : undefined;
    this.total = this.#array?.length ?? sizeOf(source) ?? Number.POSITIVE_INFINITY;
  }

  /** The index of the first value that `take` would give. */
  get nextIndex(): number {
    return this.#returned[0]?.first ?? this.#next;
  }

  /** True if nothing is left to take. */
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
  take(count: number): Stretch | undefined {
    const returned = this.#returned.shift();
    if (returned !== undefined) {
      if (returned.values.length > count) this.giveBack(returned, count);
      return { first: returned.first, values: returned.values.slice(0, count) };
    }
    const first = this.#next;
    const values = this.#array === undefined ? this.#takeRead(count) : this.#takeOf(this.#array, count);
    this.#next += values.length;
    if (values.length > 0) return { first, values };
    if (this.#failure === undefined) return undefined;
    const { error } = this.#failure;
    this.#failure = undefined;
    throw error;
  }

  /** The array from which the next values would be taken; undefined for other sources. They may be used where they stand, and then be passed over. */
  get array(): readonly unknown[] | undefined {
    return this.#returned.length === 0 ? this.#array : undefined;
  }

  /** Passes over values of the array. */
  skip(count: number): void {
    this.#next += count;
    this.#isExhausted = this.#next >= this.total;
  }

  /** Gives back what nobody has done of some values: those from the k-th on. */
  giveBack({ first, values }: Stretch, k: number): void {
    const rest = { first: first + k, values: values.slice(k) };
    const at = this.#returned.findIndex((stretch) => stretch.first > rest.first);
    this.#returned.splice(at < 0 ? this.#returned.length : at, 0, rest);
  }

  /** Up to `count` values of an array; those before the first that cannot be read. */
  #takeOf(array: readonly unknown[], count: number): unknown[] {
    const first = this.#next;
    const end = Math.min(first + count, this.total);
    const values = new Array<unknown>(end - first); // it does not grow: `push` takes ten times as long
    let i = first;
    try {
      for (; i < end; i++) values[i - first] = array[i]; // a hole is undefined, and slice would keep it
      this.#isExhausted = end >= this.total;
    } catch (error) {
      values.length = i - first;
      this.#fail(error);
    }
    return values;
  }

  #takeRead(count: number): unknown[] {
    if (this.#arrived.length < count) this.#read(count);
    const { length } = this.#arrived;
    const whole = Math.min(count, this.#isExhausted ? length : Math.floor(length / this.#unit) * this.#unit);
    const values = whole === length ? this.#arrived : this.#arrived.slice(0, whole);
    this.#arrived = whole === length ? [] : this.#arrived.slice(whole);
    this.#wanted = this.#pending !== undefined && this.#options.readsAhead === true ? count : 0;
    return values;
  }

  /** Reads until so many values are here, or it lets us wait. */
  #read(count: number): void {
    this.#wanted = count;
    const next = this.#readNow();
    if (next !== undefined) void this.#readLater(next);
  }

  /** Reads until as many values are here as are wanted; returns what lets us wait. */
  #readNow(): PromiseLike<unknown> | undefined {
    try {
      while (this.#pending === undefined && !this.#isExhausted && this.#arrived.length < this.#wanted) {
        const next = this.#ask();
        if (isPromise(next)) this.#pending = next;
        else this.#accept(next);
        if (this.#pending !== undefined) return this.#pending;
      }
    } catch (error) {
      this.#fail(error);
    }
    return undefined;
  }

  /** One loop, and no call for each value: a promise more for each took a fifth of the time. */
  async #readLater(first: PromiseLike<unknown>): Promise<void> {
    for (let next: PromiseLike<unknown> | undefined = first; next !== undefined; ) {
      try {
        const result = await next;
        this.#pending = undefined;
        this.#accept(result);
      } catch (error) {
        this.#pending = undefined;
        this.#fail(error);
      }
      next = this.#readNow();
      if (next === undefined || this.#options.readsAhead !== true) this.#options.onArrival();
      else this.#tellLater();
    }
  }

  /** More are wanted: those that come without a turn of the event loop are told of together. */
  #tellLater(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    void turn().then(() => {
      this.#isTelling = false;
      this.#options.onArrival();
    });
  }

  #ask(): unknown {
    this.#isAsking = true;
    try {
      return (this.#iterator as AnyIterator).next();
    } finally {
      this.#isAsking = false;
      this.#asked();
    }
  }

  #whenAsked(): Promise<void> {
    return new Promise((resolve) => {
      this.#asked = resolve;
    });
  }

  /** Takes what an iterator has given, as `for...of` does: any true value ends it, and a result that is no object is an error. */
  #accept(result: unknown): void {
    if (Object(result) !== result)
      throw new TypeError(`furcate: the iterator of ${this.#options.called} gave ${show(result)} for a result.`);
    const given = result as IteratorResult<unknown>;
    if (this.#isExhausted) return; // it was closed meanwhile
    if (given.done) {
      this.#refuseSpent();
      this.#isExhausted = true;
    } else this.#arrived.push(given.value); // asked for only now: the last result may have none
  }

  /** True if it can be read only once. */
  get #isOnce(): boolean {
    return has(this.#source, 'getReader') || this.#iterator === this.#source || isNodeStream(this.#source);
  }

  /** Notes what has ended. @throws Error for what had ended before and gave nothing: an empty result would hide the mistake */
  #refuseSpent(): void {
    if (!this.#isOnce) return;
    const hasGiven = this.#next > 0 || this.#arrived.length > 0;
    if (!hasGiven && spent.has(this.#source))
      throw new Error(
        `furcate: nothing is left of ${this.#options.called}: the ${this.#iterator === this.#source ? 'generator' : 'stream'} was read to its end before, or closed. Make a new one for each run, or give an array.`,
      );
    spent.add(this.#source);
  }

  #fail(error: unknown): void {
    if (!this.#isExhausted) this.#failure = { error };
    this.#isExhausted = true;
  }

  /**
   * Tells the source that nobody reads on, and waits for its answer, as a loop over it does.
   *
   * @param patienceMs for how long it is waited for while it is being read: what is asked for may never come
   * @param graceMs for how long it is waited for otherwise
   * @throws (rejects with) what the source throws
   */
  async close(patienceMs: number, graceMs: number): Promise<void> {
    const isOver = this.#isExhausted;
    this.#isExhausted = true;
    this.#arrived = [];
    this.#returned.length = 0;
    this.#failure = undefined;
    if (isOver) return;
    if (this.#isOnce) spent.add(this.#source);
    if (this.#isAsking) await this.#whenAsked(); // a generator cannot end itself
    const pending = this.#pending;
    const closed = this.#iterator?.return?.();
    if (!isPromise(closed)) return;
    const answer = Promise.resolve(closed);
    answer.catch(() => {}); // if nobody waits for it
    if (pending !== undefined) {
      // The iterator of a Node stream waits for the next chunk first.
      if (isNodeStream(this.#source)) this.#source.destroy();
      if (!(await isSettledWithin(patienceMs, pending, answer))) return;
    }
    if (await isSettledWithin(graceMs, answer)) await answer;
  }
}

/** Checks whether one of these promises settles in this time. */
async function isSettledWithin(ms: number, ...promises: readonly PromiseLike<unknown>[]): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = after(ms, () => resolve(false));
    const settled = (): void => {
      stop();
      resolve(true);
    };
    for (const promise of promises) promise.then(settled, settled);
  });
}
