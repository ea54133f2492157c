/**
 * Sources of numbers, in every way that the protocols of iterators and streams allow: they fail, end oddly, let one wait, never answer, and cannot be
 * closed. Each watches whoever reads it.
 */
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { concat, merge, type PipelineSource, zip } from 'furcate/flows';
import { turn } from '../../helpers/event-loop.js';

/** An item that cannot be cloned. */
export type Odd = () => unknown;
export type Item = number | Odd;

export type SourceKind =
  | 'array'
  | 'set'
  | 'generator'
  | 'iterator'
  | 'asyncGenerator'
  | 'asyncIterator'
  | 'answersAtOnce'
  | 'thenables'
  | 'web'
  | 'node'
  | 'concat'
  | 'zip'
  | 'merge';

export interface SourceSpec {
  readonly kind: SourceKind;
  /** How many items there are; Infinity for a source that never ends. */
  readonly items: number;
  /** Which item it throws in the place of. */
  readonly failsAt: number | undefined;
  /** Which item cannot be cloned. */
  readonly oddAt: number | undefined;
  /** What it says for `done`. */
  readonly done: unknown;
  /** What it does when it is closed. */
  readonly end: 'fine' | 'later' | 'fails' | 'never' | 'missing';
  /** Whether each item comes a turn of the event loop later, where the source lets us wait. */
  readonly isSlow: boolean;
  /** Whether it never answers after its last item, where it lets us wait. */
  readonly stops: boolean;
}

/** What has happened to a source. */
export interface Watch {
  isOpen: boolean;
  /** Whether it has said that it is over, or has failed. */
  isOver: boolean;
  /** How often it was told that nobody reads on, and how often it has come to its end then. */
  closing: number;
  closed: number;
  /** What whoever reads it did that no reader may do. */
  wrong: string | undefined;
}

/** Something that is thrown by plan. */
export class Planned extends Error {}

const sourceFailed = (): Planned => new Planned('the source failed');
const endFailed = (): Planned => new Planned('the end failed');

function itemAt({ failsAt, oddAt }: SourceSpec, k: number): Item {
  if (k === failsAt) throw sourceFailed();
  return k === oddAt ? () => 1 : k;
}

/** A synchronous iterator, whose reader must ask no further once it is over. */
class Plain {
  readonly #spec: SourceSpec;
  readonly #watch: Watch;
  #next = 0;
  return?: () => object;

  constructor(spec: SourceSpec, watch: Watch) {
    this.#spec = spec;
    this.#watch = watch;
    watch.isOpen = true;
    if (spec.end !== 'missing') this.return = () => this.#close();
  }

  next(): { done: unknown; value?: Item } {
    if (this.#watch.isOver || this.#watch.closing > 0) this.#watch.wrong ??= 'was asked after its end';
    return this.answer();
  }

  answer(): { done: unknown; value?: Item } {
    const { items, done } = this.#spec;
    if (this.#next >= items) {
      this.#watch.isOver = true;
      return { done };
    }
    try {
      return { done: done === true ? false : 0, value: itemAt(this.#spec, this.#next++) };
    } catch (error) {
      this.#watch.isOver = true;
      throw error;
    }
  }

  #close(): object {
    if (this.#watch.isOver) this.#watch.wrong ??= 'was closed after its end';
    if (this.#watch.closing++ > 0) this.#watch.wrong ??= 'was closed twice';
    this.#watch.closed++;
    if (this.#spec.end === 'fails') throw endFailed();
    return {};
  }
}

/** An iterator that answers later, and takes one question after the other. */
class Late {
  readonly #spec: SourceSpec;
  readonly #plain: Plain;
  readonly #watch: Watch;
  #given = 0;
  #isAsked = false;
  return?: () => Promise<unknown>;

  constructor(spec: SourceSpec, watch: Watch) {
    this.#spec = spec;
    this.#watch = watch;
    this.#plain = new Plain({ ...spec, end: 'fine' }, watch);
    if (spec.end !== 'missing') this.return = () => this.#close();
  }

  async next(): Promise<unknown> {
    if (this.#watch.isOver || this.#watch.closing > 0) this.#watch.wrong ??= 'was asked after its end';
    if (this.#isAsked) this.#watch.wrong ??= 'was asked before it had answered';
    this.#isAsked = true;
    if (this.#spec.stops && this.#given >= this.#spec.items) return new Promise(() => {});
    this.#given++;
    if (this.#spec.isSlow) await turn();
    this.#isAsked = false;
    return this.#plain.answer();
  }

  async #close(): Promise<unknown> {
    if (this.#watch.closing++ > 0) this.#watch.wrong ??= 'was closed twice';
    const { end } = this.#spec;
    if (end === 'never') return new Promise(() => {});
    if (end === 'later' || end === 'fails') await turn();
    this.#watch.closed++;
    if (end === 'fails') throw endFailed();
    return {};
  }
}

const late = (spec: SourceSpec, watch: Watch): AsyncIterable<Item> => ({
  [Symbol.asyncIterator]: () => new Late(spec, watch) as unknown as AsyncIterator<Item>,
});

const plain = (spec: SourceSpec, watch: Watch): Iterable<Item> => ({
  [Symbol.iterator]: () => new Plain(spec, watch) as unknown as Iterator<Item>,
});

/** Tells of the end of a generator, by whatever it has ended. */
function ended(spec: SourceSpec, watch: Watch, isOver: boolean): void {
  if (isOver) watch.isOver = true;
  else watch.closed++;
  if (spec.end === 'fails') throw endFailed();
}

function* generated(spec: SourceSpec, watch: Watch): Generator<Item> {
  watch.isOpen = true;
  let isOver = false;
  try {
    for (let k = 0; k < spec.items; k++) {
      isOver = k === spec.failsAt;
      yield itemAt(spec, k);
    }
    isOver = true;
  } finally {
    watch.closing += isOver ? 0 : 1;
    ended(spec, watch, isOver);
  }
}

async function* generatedLater(spec: SourceSpec, watch: Watch): AsyncGenerator<Item> {
  watch.isOpen = true;
  let isOver = false;
  try {
    for (let k = 0; k < spec.items; k++) {
      if (spec.isSlow) await turn();
      isOver = k === spec.failsAt;
      yield itemAt(spec, k);
    }
    isOver = true;
    if (spec.stops) await new Promise(() => {});
  } finally {
    watch.closing += isOver ? 0 : 1;
    if (spec.end === 'never' && !isOver) await new Promise(() => {});
    if (spec.end === 'later') await turn();
    ended(spec, watch, isOver);
  }
}

function arrayOf(spec: SourceSpec): Item[] {
  const array: Item[] = [];
  for (let k = 0; k < spec.items; k++)
    Object.defineProperty(array, k, { get: () => itemAt(spec, k), enumerable: true, configurable: true });
  return array;
}

function webStream(spec: SourceSpec, watch: Watch): ReadableStream<Item> {
  const iterator = new Late({ ...spec, end: spec.end === 'missing' ? 'fine' : spec.end }, watch);
  return new ReadableStream<Item>(
    {
      async pull(controller) {
        const { done, value } = (await iterator.next()) as IteratorResult<Item>;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => iterator.return?.() as Promise<void>,
    },
    { highWaterMark: 0 },
  );
}

/** What can be awaited, and is no promise. */
const thenable = (promise: Promise<unknown>): PromiseLike<unknown> => ({
  // biome-ignore lint/suspicious/noThenProperty: what this is about
  then: (done, failed) => promise.then(done, failed),
});

/** The first items come from an array. */
const headOf = ({ items }: SourceSpec): Item[] => Array.from({ length: Math.min(2, items) }, (_, k) => k);
const tailOf = (spec: SourceSpec): SourceSpec => ({
  ...spec,
  items: spec.items - headOf(spec).length,
  failsAt: undefined,
  oddAt: undefined,
});

interface Source {
  make(spec: SourceSpec, watch: Watch): PipelineSource<unknown>;
  /** What its items are made from, where that is not themselves. */
  readonly unwraps?: true;
  /** What a plain loop reads instead. Default: an iterator that is closed alike. */
  plainly?(spec: SourceSpec, watch: Watch): Iterable<Item>;
  /** Whether its items come in any order. */
  readonly isMixed?: true;
  /** Whether it may be endless, may fail, lets us wait, and can be watched while it is closed. */
  readonly ends?: true;
  readonly neverFails?: true;
  readonly waits?: true;
  readonly isWatched?: true;
}

/** The second source of a `concat`, with numbers after those of the first. */
function* shifted(spec: SourceSpec, watch: Watch): Generator<Item> {
  const from = headOf(spec).length;
  for (const item of plain(tailOf(spec), watch)) yield (item as number) + from;
}

const SOURCES: Readonly<Record<SourceKind, Source>> = {
  array: { make: arrayOf, plainly: arrayOf, ends: true },
  set: { make: (spec) => new Set(arrayOf({ ...spec, failsAt: undefined })), ends: true, neverFails: true },
  generator: { make: generated, plainly: generated },
  iterator: { make: plain, isWatched: true },
  asyncGenerator: { make: generatedLater, plainly: generated, waits: true },
  asyncIterator: { make: late, waits: true, isWatched: true },
  answersAtOnce: {
    make: (spec, watch) => ({ [Symbol.asyncIterator]: () => new Plain(spec, watch) as unknown as AsyncIterator<Item> }),
    isWatched: true,
  },
  thenables: {
    make: (spec, watch) => ({
      [Symbol.asyncIterator]() {
        const iterator = new Late(spec, watch);
        return {
          next: () => thenable(iterator.next()),
          ...(iterator.return && { return: () => thenable((iterator.return as () => Promise<unknown>)()) }),
        } as unknown as AsyncIterator<Item>;
      },
    }),
    waits: true,
    isWatched: true,
  },
  web: { make: webStream, waits: true },
  node: {
    make: (spec, watch) => Readable.from(generatedLater({ ...spec, end: 'fine' }, watch)),
    plainly: (spec, watch) => generated({ ...spec, end: 'fine' }, watch),
    neverFails: true,
    waits: true,
  },
  concat: {
    make: (spec, watch) => concat(headOf(spec), shifted(spec, watch)),
    *plainly(spec, watch) {
      yield* headOf(spec);
      yield* shifted(spec, watch);
    },
    neverFails: true,
  },
  zip: {
    make: (spec, watch) => {
      const longer: SourceSpec = { ...spec, items: spec.items + 1, failsAt: undefined, end: 'fine' };
      return zip(late(spec, watch), plain(longer, watchOf()));
    },
    unwraps: true,
    waits: true,
  },
  merge: {
    make: (spec, watch) => merge(headOf(spec), shifted(spec, watch)),
    *plainly(spec, watch) {
      yield* headOf(spec);
      yield* shifted(spec, watch);
    },
    isMixed: true,
    neverFails: true,
  },
};

export const watchOf = (): Watch => ({ isOpen: false, isOver: false, closing: 0, closed: 0, wrong: undefined });

export const sourceOf = ({ kind }: SourceSpec): Source => SOURCES[kind];

/** What a plain loop reads. */
export function plainSource(spec: SourceSpec): Iterable<Item> {
  const end = spec.end === 'fails' ? 'fails' : 'fine';
  return (sourceOf(spec).plainly ?? plain)({ ...spec, end, done: true }, watchOf());
}

/** What is wrong with the way in which a source was read by a run that is over. After a failure nobody waits for the end of one that is asked for an item. */
export function misread({ kind, end, stops }: SourceSpec, watch: Watch, hasFailed: boolean): string | undefined {
  if (watch.wrong !== undefined) return watch.wrong;
  const { isWatched, waits } = sourceOf({ kind } as SourceSpec);
  if (isWatched !== true || !watch.isOpen || watch.isOver || end === 'missing') return;
  if (watch.closing !== 1) return `was closed ${watch.closing} times`;
  const mayGoOn = end === 'never' || stops || (hasFailed && waits === true);
  return watch.closed === 1 || mayGoOn ? undefined : 'has not come to its end';
}

export const SOURCE_KINDS = Object.keys(SOURCES) as readonly SourceKind[];

const rarely = <V>(arbitrary: fc.Arbitrary<V>): fc.Arbitrary<V | undefined> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

export const anySource: fc.Arbitrary<SourceSpec> = fc
  .record({
    kind: fc.constantFrom(...SOURCE_KINDS),
    items: fc.oneof(
      { weight: 5, arbitrary: fc.nat(60) },
      { weight: 1, arbitrary: fc.constant(Number.POSITIVE_INFINITY) },
    ),
    failsAt: rarely(fc.nat(50)),
    oddAt: rarely(fc.nat(50)),
    done: fc.constantFrom<unknown>(true, 1, 'yes', {}),
    end: fc.constantFrom('fine' as const, 'later' as const, 'fails' as const, 'never' as const, 'missing' as const),
    isSlow: fc.boolean(),
    stops: fc.nat(7).map((k) => k === 0),
  })
  .map((spec) => {
    const { ends, neverFails, waits } = sourceOf(spec);
    const items = ends === true && spec.items > 60 ? 60 : spec.items;
    return {
      ...spec,
      items,
      failsAt: neverFails === true ? undefined : spec.failsAt,
      oddAt: neverFails === true ? undefined : spec.oddAt,
      stops: waits === true && spec.kind !== 'zip' && spec.stops && items < 60,
      end: waits === true || spec.end !== 'never' ? spec.end : 'fine',
    };
  });
