/**
 * `sharedBag`: numbers that threads append at the same time; runs on every thread.
 *
 * A thread takes a chunk of the array by one atomic addition, and fills it alone. How far it has come it says in a word of that chunk.
 */
import { builtinClass, sharedArray, unfilledArray } from '../../core/engine.js';
import { add, load, store } from '../../core/memory/atomics.js';
import { show } from '../../core/show.js';
import {
  ARRAYS,
  type ArrayOfType,
  checkNumberType,
  type NumberType,
  readSizeOptions,
  type SharedSizeOptions,
} from './number-types.js';

/** Numbers that all threads append to. It may stand in arguments, in contexts, and in fields of tasks. */
export interface SharedBag<T extends NumberType = NumberType> {
  /** Count of the numbers in it. Whole when all threads that add have done so. */
  readonly size: number;
  /** Appends a number. Any thread may do so at any time. @throws RangeError when the bag is full */
  add(x: number): void;
  /** All numbers in ascending order, as a new shared array. No thread may add any meanwhile. */
  sorted(): ArrayOfType<T>;
  /** As `sorted`, in an order that differs from run to run. */
  unsorted(): ArrayOfType<T>;
  /** Empties the bag. No other thread may use it meanwhile. */
  clear(): void;
}

/** Elements that a thread takes at once: a few cache lines. */
const CHUNK_BITS = 8;
const CHUNK = 1 << CHUNK_BITS;
/** Chunks that threads may have begun when the bag is full: there is room for these beside. */
const BEGUN = 64;

// Words of the state.
/** Chunks that were taken. */
const W_TAKEN = 0;
/** Number of times that the bag was emptied. */
const W_CLEARED = 1;
const STATE_WORDS = 32;

/** The chunk that this thread fills of a bag. */
interface Filling {
  at: number;
  end: number;
  cleared: number;
}

/** By the number of the bag. Few bags are in use at a time; of one that was forgotten, the thread finds its chunk by `owners`. */
const all = new Map<number, Filling>();
const MAX_KEPT = 64;
/** This thread, in `owners`: other than 0. */
const THREAD = Math.floor(Math.random() * (2 ** 31 - 1)) + 1;
let latest: Filling = { at: 0, end: 0, cleared: 0 };
let latestId = 0;

/** Its fields travel. */
class NumberBag implements SharedBag {
  readonly id: number;
  readonly type: NumberType;
  readonly maxSize: number;
  readonly xs: ArrayOfType<NumberType>;
  readonly state: Int32Array;
  /** Number of elements of each chunk. */
  readonly counts: Int32Array;
  /** The thread that fills each chunk: of interest to itself alone. */
  readonly owners: Int32Array;

  constructor(type: NumberType, maxSize: number) {
    this.id = Math.floor(Math.random() * 2 ** 52) + 1;
    this.type = type;
    this.maxSize = maxSize;
    const chunks = Math.ceil(maxSize / CHUNK) + BEGUN;
    this.xs = sharedArray<ArrayOfType<NumberType>>(ARRAYS[type] as never, chunks * CHUNK, { uninitialized: true });
    this.state = sharedArray(Int32Array, STATE_WORDS);
    this.counts = sharedArray(Int32Array, chunks);
    this.owners = sharedArray(Int32Array, chunks);
  }

  add(x: number): void {
    if (typeof x !== 'number')
      throw new TypeError(`furcate: add(x) of a sharedBag() takes a number; it was ${show(x)}.`);
    const filling = latestId === this.id ? latest : this.fillingHere();
    if (filling.at === filling.end || filling.cleared !== this.state[W_CLEARED]) this.take(filling); // plain: nobody clears a bag that others use
    this.xs[filling.at] = x;
    filling.at++;
    (this.counts as { [chunk: number]: number })[(filling.at - 1) >>> CHUNK_BITS]++; // plain: the chunk is this thread's
  }

  private take(filling: Filling): void {
    const chunk = add(this.state, W_TAKEN, 1);
    if (chunk >= this.counts.length) {
      add(this.state, W_TAKEN, -1);
      throw new RangeError(
        `furcate: a sharedBag() is full: it has room for ${this.maxSize} numbers. Make it with a greater maxSize.`,
      );
    }
    this.owners[chunk] = THREAD; // plain: for this thread alone
    this.fill(filling, chunk);
  }

  /** The thread fills this chunk from where it ends. */
  private fill(filling: Filling, chunk: number): void {
    filling.at = chunk * CHUNK + (this.counts[chunk] as number); // plain: the chunk is this thread's
    filling.end = (chunk + 1) * CHUNK;
    filling.cleared = load(this.state, W_CLEARED);
  }

  /** The chunk that this thread fills of the bag, which is not the latest one. */
  private fillingHere(): Filling {
    let filling = all.get(this.id);
    if (filling === undefined) {
      if (all.size === MAX_KEPT) all.clear();
      filling = { at: 0, end: 0, cleared: 0 };
      // All of this thread's chunks but the newest are full.
      const chunk = this.owners.subarray(0, this.taken).lastIndexOf(THREAD);
      if (chunk >= 0) this.fill(filling, chunk);
      all.set(this.id, filling);
    }
    latest = filling;
    latestId = this.id;
    return filling;
  }

  /** Number of chunks that threads have. One that finds the bag full counts one too many for a moment. */
  private get taken(): number {
    return Math.min(load(this.state, W_TAKEN), this.counts.length);
  }

  get size(): number {
    let size = 0;
    for (let chunk = this.taken - 1; chunk >= 0; chunk--) size += this.counts[chunk] as number;
    return size;
  }

  unsorted(): ArrayOfType<NumberType> {
    const out = unfilledArray<ArrayOfType<NumberType>>(ARRAYS[this.type] as never, this.size);
    let at = 0;
    for (let chunk = 0; chunk < this.taken; chunk++) {
      const count = this.counts[chunk] as number;
      out.set(this.xs.subarray(chunk * CHUNK, chunk * CHUNK + count), at);
      at += count;
    }
    return out;
  }

  sorted(): ArrayOfType<NumberType> {
    return this.unsorted().sort();
  }

  clear(): void {
    this.counts.fill(0, 0, this.taken);
    this.owners.fill(0, 0, this.taken);
    store(this.state, W_TAKEN, 0);
    add(this.state, W_CLEARED, 1);
  }
}

builtinClass('SharedBag', NumberBag);

/**
 * Makes a bag of numbers that all threads append to: for the next frontier of a search, for what was found. It is read when they are done.
 *
 * @param type of the numbers: 'u32', 'f64' and so on
 * @param options `maxSize`: how many numbers it has room for at least, 1,048,576 by default
 * @throws TypeError, RangeError for bad arguments; RangeError when the shared heap is full
 * @remarks Cost: a few nanoseconds a number, and of `sorted()` that of a sort. Where each element gives its own results, `parallelFlatMap` collects them in the order
 * of the elements.
 * @example
 * const found = sharedBag('u32');
 * await parallelFor(1_000, (i, { found }) => { if (i % 7 === 0) found.add(i); }, { context: { found } });
 * found.sorted().subarray(0, 3); // => Uint32Array [0, 7, 14]
 */
export function sharedBag<T extends NumberType>(type: T, options: SharedSizeOptions = {}): SharedBag<T> {
  checkNumberType('sharedBag: type', type);
  const { maxSize } = readSizeOptions('sharedBag', options, {});
  return new NumberBag(type, maxSize) as SharedBag as SharedBag<T>;
}
