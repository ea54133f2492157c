/** Reads the source of a pipeline, no further than there are places; runs on the calling thread. */
import { isPromise, turn } from '../../core/engine.js';
import { show } from '../../core/errors.js';

/** The readable side of a Node stream, as far as a pipeline needs it. */
interface NodeReadable {
  destroy(): unknown;
}

type AnyIterator = Iterator<unknown> | AsyncIterator<unknown>;

/** Hears of what is read. */
export interface Reader {
  /** Whether there is a place for the next item. */
  hasRoom(): boolean;
  item(value: unknown): void;
  /** The source has ended, or was closed. */
  end(): void;
  failed(error: unknown): void;
}

/** For how long items may be read without a turn of the event loop (milliseconds). The program's timers and sockets wait for that long. */
const TURN_MS = 2;
/** How many items are read between two looks at the clock. */
const READS_PER_LOOK = 16;

/** The items of a Web stream. Its own iterator, where it has one, could not be ended while it waits for a chunk. */
function chunksOf(stream: ReadableStream<unknown>): AsyncIterator<unknown> {
  const reader = stream.getReader();
  const over = { done: true as const, value: undefined };
  return {
    async next() {
      const { done, value } = await reader.read();
      if (!done) return { done, value };
      reader.releaseLock();
      return over;
    },
    async return() {
      await reader.cancel();
      reader.releaseLock();
      return over;
    },
  };
}

/** Whether a source has a method of this name. */
const has = (source: object, name: PropertyKey): boolean =>
  typeof (source as Record<PropertyKey, unknown>)[name] === 'function';

/** @throws TypeError for what gives no items */
export function checkSource(source: unknown): void {
  const isObject = typeof source === 'object' && source !== null;
  if (isObject && [Symbol.asyncIterator, Symbol.iterator, 'getReader'].some((name) => has(source, name))) return;
  throw new TypeError(
    `furcate: pipeline(source) takes an iterable, an asynchronous iterable, or a stream; it was given ${show(source)}.`,
  );
}

function iteratorOf(source: object): AnyIterator {
  if (has(source, 'getReader')) return chunksOf(source as ReadableStream<unknown>);
  const given: unknown = has(source, Symbol.asyncIterator)
    ? (source as AsyncIterable<unknown>)[Symbol.asyncIterator]()
    : (source as Iterable<unknown>)[Symbol.iterator]();
  if (typeof given === 'object' && given !== null && has(given, 'next')) return given as AnyIterator;
  throw new TypeError(
    `furcate: the source of a pipeline must give an iterator, with a method next(); it gave ${show(given)}.`,
  );
}

export class Source {
  readonly #source: object;
  readonly #reader: Reader;
  readonly #iterator: AnyIterator;
  #isReading = false;
  /** Whether a promise of the iterator is awaited. */
  #isWaiting = false;
  /** Whether the iterator is being asked, so that its code is what runs. */
  #isAsking = false;
  #asked = (): void => {};
  /** What was read when others had taken the place that it was read for. */
  #early: { readonly value: unknown } | undefined;
  #isOver = false;
  #reads = 0;
  #turnMs = performance.now();

  constructor(source: object, reader: Reader) {
    this.#source = source;
    this.#reader = reader;
    this.#iterator = iteratorOf(source);
  }

  /** Reads items while there is room. */
  async read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    while (!this.#isOver && this.#reader.hasRoom()) {
      try {
        const next = this.#early ?? this.#ask();
        this.#early = undefined;
        this.#isWaiting = isPromise(next);
        const result = this.#isWaiting ? await next : (next as IteratorResult<unknown>);
        this.#isWaiting = false;
        if (this.#isOver) break;
        this.#accept(result);
        if (++this.#reads % READS_PER_LOOK === 0) await this.#turn();
      } catch (error) {
        this.#isWaiting = false;
        if (this.#isOver) break;
        this.#isOver = true;
        this.#reader.failed(error);
        this.#reader.end();
      }
    }
    this.#isReading = false;
  }

  #ask(): unknown {
    this.#isAsking = true;
    try {
      return this.#iterator.next();
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

  #accept(result: unknown): void {
    if (Object(result) !== result)
      throw new TypeError(`furcate: the iterator of a pipeline's source gave ${show(result)} for a result.`);
    const { done, value } = result as IteratorResult<unknown>;
    if (done === true) {
      this.#isOver = true;
      this.#reader.end();
    } else if (this.#reader.hasRoom()) this.#reader.item(value);
    else this.#early = { value };
  }

  async #turn(): Promise<void> {
    if (performance.now() - this.#turnMs < TURN_MS) return;
    await turn();
    this.#turnMs = performance.now();
  }

  /**
   * Tells the source that nobody reads on. If it is being read, its answer is not waited for: it may never come.
   *
   * @throws (rejects with) what the source throws
   */
  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reader.end();
    if (this.#isAsking) await this.#whenAsked(); // a generator cannot end itself
    const isWaiting = this.#isWaiting;
    const closed = this.#iterator.return?.();
    if (!isWaiting) await closed;
    else {
      if (isPromise(closed)) closed.then(undefined, () => {});
      // The iterator of a Node stream waits for the next chunk first.
      if (has(this.#source, 'pipe') && has(this.#source, 'destroy')) (this.#source as NodeReadable).destroy();
    }
  }
}
