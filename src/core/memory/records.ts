/**
 * Records: one forked task each, in control memory; the forker allocates and frees, thieves fill in the result.
 *
 * ```
 * word  0        1      2            3         4       5      6         7            8 .. 11   12 .. 59         60       61             62     63
 *       status   code   invocation   external  shape   form   blob/16   blob bytes   result    values, 4 words  cancel   dependencies   next   reports or race
 * ```
 *
 * What words 60, 62 and 63 mean depends on the kind of the record: record-kinds.ts.
 *
 * `status` decides between join, steal, cancel and `tryUnfork`: generation << 16 | state. The generation
 * (15 bits) goes up whenever a record is freed, and the deque's entries carry it (generation << 16 | index), so an
 * entry left behind for a record that was reclaimed out of order is told by one compare-and-swap. A thief that slept
 * through exactly 32768 reuses of one record would take a valid task that is not the oldest: harmless.
 */
import { compareExchange, exchange, load, store } from './atomics.js';
import { type Layout, recordWord } from './layout.js';

export const R_STATUS = 0;
/** Id in the code table of the class or function. */
export const R_CODE = 1;
/** Entry of the root record of the invocation. */
export const R_INVOCATION = 2;
/** The highest number of an external buffer that the publisher knew (external-buffers.ts), 0 for none. */
export const R_EXTERNAL = 3;
/** Class tasks: code-table id of the field names. Function tasks: number of arguments. */
export const R_SHAPE = 4;
/** `FORM_` of the payload. */
export const R_FORM = 5;
export const R_BLOB = 6;
export const R_BLOB_BYTES = 7;
export const R_RESULT = 8;
export const R_VALUES = 12;
/** Code-table id + 1 of the list of codes that its job and its values need beside its own, 0 for none. */
export const R_DEPENDENCIES = 61;

/** Values that fit into a record. More values go into a blob. */
export const MAX_VALUES = 12;
export const VALUE_WORDS = 4;

/** Values in the record itself. */
export const FORM_VALUES = 0;
/** Values in a blob on the shared heap. */
export const FORM_BLOB = 1;
/** Error in few words, in the record: there was no room for more on the shared heap, or no serializer (task/last-words.ts). */
export const FORM_LAST_WORDS = 2;
/** Values in a blob, with marks in them (code/data-copy.ts). */
export const FORM_MARKED = 3;
/** An outcome that could not be encoded, nor could the error that says so. */
export const FORM_UNTOLD = 4;
/** Added to a form with a blob: the result is the blob itself, as a parcel of the library. */
export const FORM_PARCEL = 8;

export const STATE_MASK = 0xffff;
export const FREE = 0;
export const PUBLIC = 1;
/** Claimed back by its forker: run, cancelled or unforked there. */
export const CLAIMED = 2;
export const DONE = 3;
export const FAILED = 4;
/** First of the states "taken by slot k, nobody waits" (even) and "taken by slot k, the forker waits" (odd). */
export const TAKEN = 16;

const MAX_GENERATION = 0x7fff;
export const NO_RECORD = -1;

export const takenBy = (slot: number): number => TAKEN + 2 * slot;
/** The thief in a `TAKEN` state. */
export const thiefIn = (state: number): number => (state - TAKEN) >> 1;
export const isTaken = (state: number): boolean => state >= TAKEN;

/** First word of the record that an entry of `slot`'s deque names. */
export const recordOf = (layout: Layout, slot: number, entry: number): number =>
  recordWord(layout, slot, entry & 0xffff);

/** The forker's handle on its own records. */
export class OwnerRecords {
  readonly #words: Int32Array;
  readonly #layout: Layout;
  readonly #slot: number;
  readonly #free: number[] = [];
  #fresh = 0;
  #live = 0;

  constructor(words: Int32Array, layout: Layout, slot: number) {
    this.#words = words;
    this.#layout = layout;
    this.#slot = slot;
  }

  /** Records in use. */
  get live(): number {
    return this.#live;
  }

  /** An entry for a record nobody else knows yet, or `NO_RECORD`. */
  allocate(): number {
    const free = this.#free;
    let index: number;
    if (free.length > 0) index = free.pop() as number;
    else if (this.#fresh < this.#layout.recordsPerSlot) index = this.#fresh++;
    else return NO_RECORD;
    this.#live++;
    const status = load(this.#words, recordWord(this.#layout, this.#slot, index) + R_STATUS);
    return (status & ~STATE_MASK) | index;
  }

  /** Gives a record back; every entry that still names it is stale from here on. */
  release(entry: number): void {
    const index = entry & 0xffff;
    const generation = entry >>> 16 === MAX_GENERATION ? 0 : (entry >>> 16) + 1;
    // P4: before anything is written into it again; a thief that read the old payload fails in tryTake
    store(this.#words, recordWord(this.#layout, this.#slot, index) + R_STATUS, (generation << 16) | FREE);
    this.#free.push(index);
    this.#live--;
  }

  wordOf(entry: number): number {
    return recordOf(this.#layout, this.#slot, entry);
  }
}

/** Makes a filled-in record takeable; the deque's entry for it follows. */
export const setPublic = (words: Int32Array, record: number, entry: number): void => {
  store(words, record + R_STATUS, (entry & ~STATE_MASK) | PUBLIC); // P1: publishes the payload; pairs with tryTake
};

/** Checks whether the entry's task is still there for the taking. A hint: only `tryTake` and `tryClaim` decide. */
export const isPublic = (words: Int32Array, record: number, entry: number): boolean =>
  load(words, record + R_STATUS) === ((entry & ~STATE_MASK) | PUBLIC);

const move = (words: Int32Array, record: number, entry: number, from: number, to: number): boolean => {
  const generation = entry & ~STATE_MASK;
  return compareExchange(words, record + R_STATUS, generation | from, generation | to) === (generation | from);
};

/** A thief takes the task: the linearization point of a steal. False for a stale entry. */
export const tryTake = (words: Int32Array, record: number, entry: number, thief: number): boolean =>
  move(words, record, entry, PUBLIC, takenBy(thief));

/** The forker takes its own task back, from anywhere in the deque. */
export const tryClaim = (words: Int32Array, record: number, entry: number): boolean =>
  move(words, record, entry, PUBLIC, CLAIMED);

export const stateOf = (words: Int32Array, record: number): number => load(words, record + R_STATUS) & STATE_MASK;

/** The forker announces that it will sleep until the task is done; false when it is done already. */
export const tryAwait = (words: Int32Array, record: number): boolean => {
  const status = load(words, record + R_STATUS);
  if ((status & STATE_MASK) < TAKEN) return false;
  if ((status & 1) === 1) return true;
  return compareExchange(words, record + R_STATUS, status, status | 1) === status; // P3: pairs with complete
};

/** The thief completes the task; true when the forker sleeps and wants a wake-up call. */
export const complete = (words: Int32Array, record: number, state: typeof DONE | typeof FAILED): boolean => {
  const status = load(words, record + R_STATUS);
  const before = exchange(words, record + R_STATUS, (status & ~STATE_MASK) | state); // P2, P3: publishes result and fields
  return (before & 1) === 1;
};
