/**
 * Several sources as one: `merge`, `concat`, `zip`; runs on the thread that reads.
 *
 * Each is an iterator over sources, so that places, order and failures of a pipeline need nothing new. It answers with a promise only if it has to
 * wait.
 */
import { turn } from '../core/engine.js';
import { SOURCE_PATIENCE_MS, Source } from './source.js';
import { TurnClock } from './turn-clock.js';

type NextAnswer<T> = IteratorResult<T, undefined>;

const OVER: NextAnswer<never> = { done: true, value: undefined };

/** Takes the next item of sources; undefined if there is none yet. @throws what a source throws */
type Take<T> = () => NextAnswer<T> | undefined;

/** Opens a source. */
type OpenSource = (k: number) => Source;

class Joined<T> {
  readonly #opened: Source[] = [];
  readonly #take: Take<T>;
  /** The answer that others have to wait for. */
  #pending: Promise<unknown> | undefined;
  #wake = (): void => {};
  #isOver = false;
  /** A source without an end that answers at once would keep all others from answering. */
  readonly #turns = new TurnClock();

  constructor(name: string, given: readonly object[], how: (open: OpenSource, count: number) => Take<T>) {
    const open = (k: number): Source => {
      const called = `source ${k + 1} of ${name}()`;
      const source = new Source(given[k] as object, { called, onArrival: () => this.#wake() });
      this.#opened.push(source);
      return source;
    };
    this.#take = how(open, given.length);
  }

  next(): NextAnswer<T> | Promise<NextAnswer<T>> {
    if (this.#pending !== undefined) return this.#pending.then(() => this.next());
    const isTurnDue = this.#turns.isDue;
    const answer = isTurnDue ? undefined : this.#now();
    if (answer !== undefined && !('then' in answer)) return answer;
    const later = (answer ?? this.#later(isTurnDue)).finally(() => {
      this.#pending = undefined;
    });
    this.#pending = later.catch(() => {});
    return later;
  }

  #now(): NextAnswer<T> | Promise<NextAnswer<T>> | undefined {
    if (this.#isOver) return OVER;
    try {
      const answer = this.#take();
      return answer?.done === true ? this.return() : answer;
    } catch (error) {
      return this.#fail(error);
    }
  }

  async #later(isTurnDue: boolean): Promise<NextAnswer<T>> {
    if (isTurnDue) {
      await turn();
      this.#turns.restart();
    }
    for (;;) {
      const answer = this.#now();
      if (answer !== undefined) return answer;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #fail(error: unknown): Promise<never> {
    await this.#close(SOURCE_PATIENCE_MS).catch(() => {}); // a second error is of no use, nor an end that never comes
    throw error;
  }

  return(): Promise<NextAnswer<T>> {
    return this.#close(Number.POSITIVE_INFINITY); // whoever reads this waits no longer than it wants
  }

  /** Closes what is open. @throws (rejects with) what the first of those throws that fail, once all are closed */
  async #close(graceMs: number): Promise<NextAnswer<T>> {
    const isFirst = !this.#isOver;
    this.#isOver = true;
    this.#wake();
    if (!isFirst) return OVER;
    const ends = this.#opened.map((source) => source.close(SOURCE_PATIENCE_MS, graceMs));
    await Promise.allSettled(ends);
    await Promise.all(ends);
    return OVER;
  }
}

/** An iterable that can be read as often as its sources can. */
export const joined = <T>(
  name: string,
  given: readonly object[],
  how: (open: OpenSource, count: number) => Take<T>,
): AsyncIterable<T> => ({ [Symbol.asyncIterator]: () => new Joined(name, given, how) as unknown as AsyncIterator<T> });

const taken = (source: Source): NextAnswer<unknown> | undefined => {
  const stretch = source.take(1);
  if (stretch !== undefined) return { done: false, value: stretch.values[0] };
  return source.isOver ? OVER : undefined;
};

const all = (open: OpenSource, count: number): Source[] => Array.from({ length: count }, (_, k) => open(k));

/** `concat`: one source after the other. Each is opened when it is its turn. */
export function inTurn(open: OpenSource, count: number): Take<unknown> {
  let current: Source | undefined;
  let opened = 0;
  return () => {
    for (;;) {
      if (current === undefined && opened === count) return OVER;
      current ??= open(opened++);
      const answer = taken(current);
      if (answer !== OVER) return answer;
      current = undefined;
    }
  };
}

/** `merge`: any item that is there, beginning with the source after the latest that has given something. */
export function asTheyCome(open: OpenSource, count: number): Take<unknown> {
  let left: Source[] | undefined;
  return () => {
    left ??= all(open, count);
    for (let asked = left.length; asked > 0; asked--) {
      const source = left.shift() as Source;
      const answer = taken(source);
      if (answer !== OVER) left.push(source);
      if (answer?.done === false) return answer;
    }
    return left.length === 0 ? OVER : undefined;
  };
}

/** `zip`: a row of one item of each, as long as all have one. */
export function inRows(open: OpenSource, count: number): Take<unknown[]> {
  let sources: Source[] | undefined;
  let row = new Map<number, unknown>();
  return () => {
    if (count === 0) return OVER;
    sources ??= all(open, count);
    for (const [k, source] of sources.entries()) {
      if (row.has(k)) continue;
      const answer = taken(source);
      if (answer === OVER) return OVER;
      if (answer !== undefined) row.set(k, answer.value);
    }
    if (row.size < count) return undefined;
    const value = sources.map((_, k) => row.get(k));
    row = new Map();
    return { done: false, value };
  };
}
