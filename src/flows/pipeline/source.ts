/** Reads the source of a pipeline, no further than there are places; runs on the calling thread. */
import { isPromise, turn } from '../../core/engine.js';
import { show } from '../../core/errors.js';

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

/** The items of a Web stream, where such streams cannot be iterated. */
async function* chunksOf(stream: ReadableStream<unknown>): AsyncGenerator<unknown> {
  const reader = stream.getReader();
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isOver = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!isOver) await reader.cancel();
    reader.releaseLock();
  }
}

/** @throws TypeError for what gives no items */
export function checkSource(source: unknown): void {
  const isObject = typeof source === 'object' && source !== null;
  if (isObject && (Symbol.asyncIterator in source || Symbol.iterator in source || 'getReader' in source)) return;
  throw new TypeError(
    `furcate: pipeline(source) takes an iterable, an asynchronous iterable, or a stream; it was given ${show(source)}.`,
  );
}

function iteratorOf(source: object): AnyIterator {
  if (Symbol.asyncIterator in source) return (source as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  if (Symbol.iterator in source) return (source as Iterable<unknown>)[Symbol.iterator]();
  return chunksOf(source as ReadableStream<unknown>);
}

export class Source {
  readonly #reader: Reader;
  readonly #iterator: AnyIterator;
  #isReading = false;
  /** Whether a promise of the iterator is awaited. */
  #isWaiting = false;
  /** What was read when others had taken the place that it was read for. */
  #early: { readonly value: unknown } | undefined;
  #isOver = false;
  #reads = 0;
  #turnMs = performance.now();

  constructor(source: object, reader: Reader) {
    this.#reader = reader;
    this.#iterator = iteratorOf(source);
  }

  /** Reads items while there is room. */
  async read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    while (!this.#isOver && this.#reader.hasRoom()) {
      try {
        const next = this.#early ?? this.#iterator.next();
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
    const closed = this.#iterator.return?.();
    if (!this.#isWaiting) await closed;
    else if (isPromise(closed)) closed.then(undefined, () => {});
  }
}
