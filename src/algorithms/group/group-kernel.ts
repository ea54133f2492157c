/**
 * Grouping by key with open-addressing tables, in the order of first occurrence; runs on every thread that computes.
 *
 * Keys are seen as words: one word (integers of up to 32 bits, as they are, or the bits of a small float) or two. Floats are
 * normalised first, as `Map` compares them: -0 becomes 0, and all NaN become the same. An *entry* is a key that was new where it was
 * put. A table holds the number of each entry plus one, where 0 means free, and is never more than half full. Nothing in here calls
 * user code.
 */

import { specialize, typesTag } from '../../core/engine.js';
import { type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import type { FoldedValues, Op } from './fold-kernel.js';

/** Keys as a kernel reads and writes them. */
type KeyWords = Int32Array;

/** A table that goes on from block to block: what a thread has seen of a call so far. */
export interface GroupRun {
  table: Int32Array;
  /** Number of entries in it. */
  count: number;
}

/** The word that stands for a key that `Map` takes for another one, a zero or NaN; -1 for all others. */
type Special = (lower: number, upper: number) => number;

/**
 * A template, see specialize.ts. `isPair` says whether a key has two words, the lower one first; of one word the upper word is 0.
 * `special` gives the upper or only word of zeros and of NaN, `tableOf` an empty table; `combine` is the operation of `groupOn`.
 */
const makeGroupKernel = (
  isPair: () => boolean,
  special: Special,
  tableOf: (bits: number) => Int32Array,
  combine?: Op,
) => {
  /** The logarithm of the length of the smallest table, which holds 16 keys. */
  const minBits = 5;
  /** The logarithm of the length of the table with which the next call of `group` begins. */
  let bits = minBits;
  const pair = isPair();
  const lowerOf = pair ? (keys: KeyWords, k: number) => keys[2 * k] : (keys: KeyWords, k: number) => keys[k];
  const upperOf = pair ? (keys: KeyWords, k: number) => keys[2 * k + 1] : (_: KeyWords, __: number) => 0;
  const same = (keys: KeyWords, k: number, lower: number, upper: number): boolean =>
    lowerOf(keys, k) === lower && upperOf(keys, k) === upper;

  function put(keys: KeyWords, k: number, lower: number, upper: number): void {
    if (pair) {
      keys[2 * k] = lower;
      keys[2 * k + 1] = upper;
    } else keys[k] = lower;
  }

  /** The upper bits of the hash depend on all bits. Floats of small integers differ in their upper bits only, hence the shifts. */
  function hash(lower: number, upper: number): number {
    const mixed = pair ? Math.imul(lower, 0x85ebca6b) ^ upper : lower;
    return Math.imul(mixed ^ (mixed >>> 16), 0x9e3779b1);
  }

  function bucketOf(keys: KeyWords, k: number, shift: number): number {
    const mixed = pair ? (Math.imul(lowerOf(keys, k), 0xc2b2ae35) + upperOf(keys, k)) | 0 : lowerOf(keys, k);
    return Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) >>> shift;
  }

  /** As `group`, with a table of 2^`bits` cells; returns -1 if the table is too small. */
  function groupIn(src: KeyWords, lo: number, hi: number, entries: KeyWords, base: number, ids?: Int32Array): number {
    const table = tableOf(bits);
    const shift = 32 - bits;
    const mask = table.length - 1;
    const room = table.length >>> 1;
    let seen = 0;
    for (let i = lo; i < hi; i++) {
      let lower = lowerOf(src, i);
      let upper = upperOf(src, i);
      const word = special(lower, upper);
      if (word !== -1) {
        lower = pair ? 0 : word;
        upper = pair ? word : 0;
      }
      let cell = hash(lower, upper) >>> shift;
      let found = table[cell];
      while (found !== 0 && !same(entries, base + found - 1, lower, upper)) {
        cell = (cell + 1) & mask;
        found = table[cell];
      }
      if (found === 0) {
        if (seen === room) return -1;
        put(entries, base + seen, lower, upper);
        found = ++seen;
        table[cell] = found;
      }
      if (ids !== undefined) ids[i - lo] = found - 1;
    }
    return seen;
  }

  /** A table of 2^`bits` cells with the entries of another. */
  function withEntriesOf(old: Int32Array, bits: number, entries: KeyWords): Int32Array {
    const table = new Int32Array(1 << bits).fill(0); // a page that is read before it is written is faulted twice, the second time on all cores
    const mask = table.length - 1;
    for (let k = 0; k < old.length; k++) {
      const e = old[k] - 1;
      if (e < 0) continue;
      let cell = hash(lowerOf(entries, e), upperOf(entries, e)) >>> (32 - bits);
      while (table[cell] !== 0) cell = (cell + 1) & mask;
      table[cell] = e + 1;
    }
    return table;
  }

  return {
    /**
     * Groups keys [lo, hi) of `src`, and folds the values beside them into `acc`, by entry: keys that the run has not seen become entries from `base`
     * on.
     *
     * @returns how many entries are new
     */
    groupOn(
      run: GroupRun,
      src: KeyWords,
      lo: number,
      hi: number,
      entries: KeyWords,
      base: number,
      values: FoldedValues,
      acc: FoldedValues,
    ): number {
      let { table } = run;
      let shift = 1 + Math.clz32(table.length);
      let mask = table.length - 1;
      let added = 0;
      for (let i = lo; i < hi; i++) {
        let lower = lowerOf(src, i);
        let upper = upperOf(src, i);
        const word = special(lower, upper);
        if (word !== -1) {
          lower = pair ? 0 : word;
          upper = pair ? word : 0;
        }
        let cell = hash(lower, upper) >>> shift;
        let found = table[cell];
        while (found !== 0 && !same(entries, found - 1, lower, upper)) {
          cell = (cell + 1) & mask;
          found = table[cell];
        }
        if (found !== 0) acc[found - 1] = (combine as Op)(acc[found - 1], values[i], undefined);
        else {
          acc[base + added] = values[i];
          put(entries, base + added, lower, upper);
          table[cell] = base + ++added;
          if (2 * ++run.count > table.length) {
            shift--;
            table = withEntriesOf(table, 32 - shift, entries);
            run.table = table;
            mask = table.length - 1;
          }
        }
      }
      return added;
    },
    /**
     * Groups keys [lo, hi) of `src` into entries from `base` on.
     *
     * @param ids gets the number of each key's entry, counted from `base`: ids[i - lo] for src[i]
     * @returns how many entries there are
     */
    group(src: KeyWords, lo: number, hi: number, entries: KeyWords, base: number, ids?: Int32Array): number {
      let seen = groupIn(src, lo, hi, entries, base, ids);
      for (; seen < 0; seen = groupIn(src, lo, hi, entries, base, ids)) bits += 2;
      // The next table has room for an eighth more entries, but for no more than there are keys: it has to stay in the cache.
      bits = Math.max(minBits, 33 - Math.clz32(Math.min(hi - lo, seen + (seen >> 3)) - 1));
      return seen;
    },
    /** Counts entries [lo, hi) by bucket. */
    count(entries: KeyWords, lo: number, hi: number, counts: Uint32Array, shift: number): void {
      for (let e = lo; e < hi; e++) counts[bucketOf(entries, e, shift)]++;
    },
    /** Puts the numbers of entries [lo, hi) to the places of their buckets, and raises these. */
    scatter(entries: KeyWords, lo: number, hi: number, places: Uint32Array, shift: number, order: Uint32Array): void {
      for (let e = lo; e < hi; e++) order[places[bucketOf(entries, e, shift)]++] = e;
    },
    /** For the entries order[lo, hi), of one bucket: first[entry] is the first one among them with its key. */
    match(entries: KeyWords, order: Uint32Array, lo: number, hi: number, first: Uint32Array): void {
      const tableBits = Math.max(minBits, 33 - Math.clz32(hi - lo));
      const table = tableOf(tableBits);
      const shift = 32 - tableBits;
      const mask = table.length - 1;
      for (let k = lo; k < hi; k++) {
        const e = order[k];
        const lower = lowerOf(entries, e);
        const upper = upperOf(entries, e);
        let cell = hash(lower, upper) >>> shift;
        let found = table[cell];
        while (found !== 0 && !same(entries, order[lo + found - 1], lower, upper)) {
          cell = (cell + 1) & mask;
          found = table[cell];
        }
        if (found === 0) {
          found = k - lo + 1;
          table[cell] = found;
        }
        first[e] = order[lo + found - 1];
      }
    },
    /** Copies the keys of those entries of [lo, hi) that are the first with their key, to out[at, ...). */
    copyFirst(entries: KeyWords, first: Uint32Array, lo: number, hi: number, out: KeyWords, at: number): void {
      for (let e = lo; e < hi; e++) {
        if (first[e] === e) put(out, at++, lowerOf(entries, e), upperOf(entries, e));
      }
    },
  };
};

// What the template takes.

const yes = (): boolean => true;
const no = (): boolean => false;
const never: Special = () => -1;
const special16: Special = (word) => {
  const magnitude = word & 0x7fff;
  return magnitude === 0 ? 0 : magnitude > 0x7c00 ? 0x7e00 : -1;
};
const special32: Special = (word) => {
  const magnitude = word & 0x7fffffff;
  return magnitude === 0 ? 0 : magnitude > 0x7f800000 ? 0x7fc00000 : -1;
};
const special64: Special = (lower, upper) => {
  const magnitude = upper & 0x7fffffff;
  if ((magnitude | lower) === 0) return 0;
  return magnitude > 0x7ff00000 || (magnitude === 0x7ff00000 && lower !== 0) ? 0x7ff80000 : -1;
};

const SPECIAL: Readonly<Record<string, Special>> = {
  Float64Array: special64,
  Float32Array: special32,
  Float16Array: special16,
};

/** Tables by the logarithm of their length. One is in use at a time, since user code is not called meanwhile. */
const tables: Int32Array[] = [];

function tableOf(bits: number): Int32Array {
  tables[bits] ??= new Int32Array(1 << bits);
  return tables[bits].fill(0);
}

/** Words of an array's keys, for reading and writing. */
export function keyWords(xs: TypedArray): KeyWords {
  const { buffer, byteOffset, length, BYTES_PER_ELEMENT: bytes } = xs;
  const name: string = xs[Symbol.toStringTag];
  if (bytes < 4) return (name.startsWith('Float') ? new Int16Array(buffer, byteOffset, length) : xs) as KeyWords;
  return name === 'Int32Array' ? (xs as KeyWords) : new Int32Array(buffer, byteOffset, (bytes / 4) * length);
}

/** The kernel for keys of an array's type: one for groupings without values, and one for each type of values and operation. */
export function groupKernel(xs: TypedArray, values?: TypedArray, combine?: Op) {
  const tag = values === undefined ? -1 - typeOfView(xs) : typesTag(xs, values);
  const isPair = xs.BYTES_PER_ELEMENT === 8 ? yes : no;
  return specialize(makeGroupKernel, tag, isPair, SPECIAL[xs[Symbol.toStringTag]] ?? never, tableOf, combine);
}
