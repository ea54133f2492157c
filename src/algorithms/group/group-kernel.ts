/**
 * Grouping by key with open-addressing tables, in the order of first occurrence; runs on every thread that computes.
 *
 * Keys are seen as words: one (integers of up to 32 bits, as they are, or the bits of a small float) or two. Floats are
 * normalised first, as `Map` compares them: -0 is 0, and all NaN are one. An *entry* is a key that was new where it was
 * put; a table holds entries' numbers plus one, 0 being free, and is never more than half full. Nothing in here calls
 * user code.
 */

import { specialize } from '../../core/code/specialize.js';
import type { TypedArray } from '../../core/memory/element-types.js';

/** Keys as a kernel reads and writes them. */
export type KeyWords = Int32Array;

export interface GroupKernel {
  /**
   * Puts keys [from, hi) of `src` into a table, new ones as entries from `base + state[0]` on, which is raised.
   *
   * @param ids gets the number of each key's entry, counted from `base`: ids[i - origin] for src[i]
   * @param shift 32 - log2 of the table's length
   * @returns the key to go on with, in a larger table; `hi` when done
   */
  group(
    src: KeyWords,
    origin: number,
    from: number,
    hi: number,
    entries: KeyWords,
    base: number,
    table: Int32Array,
    shift: number,
    state: Int32Array,
    ids: Int32Array | undefined,
  ): number;
  /** Puts `seen` entries, which are distinct, into an empty table. */
  insert(entries: KeyWords, base: number, seen: number, table: Int32Array, shift: number): void;
  /** Counts entries [lo, hi) by bucket, in counts[row + bucket]. */
  count(entries: KeyWords, lo: number, hi: number, counts: Uint32Array, row: number, shift: number): void;
  /** Puts the numbers of entries [lo, hi) to where counts[row + bucket] says, and raises that. */
  scatter(
    entries: KeyWords,
    lo: number,
    hi: number,
    counts: Uint32Array,
    row: number,
    shift: number,
    order: Uint32Array,
  ): void;
  /** For the entries order[lo, hi), of one bucket: first[entry] is the first one among them with its key. */
  match(
    entries: KeyWords,
    order: Uint32Array,
    lo: number,
    hi: number,
    table: Int32Array,
    shift: number,
    first: Uint32Array,
  ): void;
  /** Copies the keys of those entries of [lo, hi) that are the first with their key, to out[at, ...). */
  copyFirst(entries: KeyWords, first: Uint32Array, lo: number, hi: number, out: KeyWords, at: number): void;
}

/** A template, see specialize.ts: one word a key. */
const makeNarrowKernel = (normal: (word: number) => number): GroupKernel => {
  // By the upper bits, which depend on all; floats of small integers differ in their upper bits only, hence the shift.
  const hash = (key: number): number => Math.imul(key ^ (key >>> 16), 0x9e3779b1);
  const bucketHash = (key: number): number => Math.imul(key ^ (key >>> 15), 0x85ebca6b);

  return {
    group(src, origin, from, hi, entries, base, table, shift, state, ids) {
      const mask = table.length - 1;
      const room = table.length >>> 1;
      let seen = state[0];
      let i = from;
      for (; i < hi; i++) {
        const key = normal(src[i]);
        let slot = hash(key) >>> shift;
        let found = table[slot];
        while (found !== 0 && entries[base + found - 1] !== key) {
          slot = (slot + 1) & mask;
          found = table[slot];
        }
        if (found === 0) {
          if (seen === room) break;
          entries[base + seen] = key;
          found = ++seen;
          table[slot] = found;
        }
        if (ids !== undefined) ids[i - origin] = found - 1;
      }
      state[0] = seen;
      return i;
    },
    insert(entries, base, seen, table, shift) {
      const mask = table.length - 1;
      for (let e = 0; e < seen; e++) {
        let slot = hash(entries[base + e]) >>> shift;
        while (table[slot] !== 0) slot = (slot + 1) & mask;
        table[slot] = e + 1;
      }
    },
    count(entries, lo, hi, counts, row, shift) {
      for (let e = lo; e < hi; e++) counts[row + (bucketHash(entries[e]) >>> shift)]++;
    },
    scatter(entries, lo, hi, counts, row, shift, order) {
      for (let e = lo; e < hi; e++) order[counts[row + (bucketHash(entries[e]) >>> shift)]++] = e;
    },
    match(entries, order, lo, hi, table, shift, first) {
      const mask = table.length - 1;
      for (let k = lo; k < hi; k++) {
        const e = order[k];
        const key = entries[e];
        let slot = hash(key) >>> shift;
        let found = table[slot];
        while (found !== 0 && entries[order[lo + found - 1]] !== key) {
          slot = (slot + 1) & mask;
          found = table[slot];
        }
        if (found === 0) {
          found = k - lo + 1;
          table[slot] = found;
        }
        first[e] = order[lo + found - 1];
      }
    },
    copyFirst(entries, first, lo, hi, out, at) {
      for (let e = lo; e < hi; e++) if (first[e] === e) out[at++] = entries[e];
    },
  };
};

/** A template, see specialize.ts: two words a key, the lower one first. `isFloat` says whether they are a float64's. */
const makePairKernel = (isFloat: () => boolean): GroupKernel => {
  const float = isFloat();
  const hash = (lower: number, upper: number): number => {
    const mixed = Math.imul(lower, 0x85ebca6b) ^ upper;
    return Math.imul(mixed ^ (mixed >>> 16), 0x9e3779b1);
  };
  const bucketHash = (lower: number, upper: number): number => {
    const mixed = Math.imul(lower, 0xc2b2ae35) + upper;
    return Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  };

  return {
    group(src, origin, from, hi, entries, base, table, shift, state, ids) {
      const mask = table.length - 1;
      const room = table.length >>> 1;
      let seen = state[0];
      let i = from;
      for (; i < hi; i++) {
        let lower = src[2 * i];
        let upper = src[2 * i + 1];
        if (float) {
          const magnitude = upper & 0x7fffffff;
          if ((magnitude | lower) === 0) upper = 0;
          else if (magnitude > 0x7ff00000 || (magnitude === 0x7ff00000 && lower !== 0)) {
            lower = 0;
            upper = 0x7ff80000;
          }
        }
        let slot = hash(lower, upper) >>> shift;
        let found = table[slot];
        while (found !== 0) {
          const at = 2 * (base + found - 1);
          if (entries[at] === lower && entries[at + 1] === upper) break;
          slot = (slot + 1) & mask;
          found = table[slot];
        }
        if (found === 0) {
          if (seen === room) break;
          entries[2 * (base + seen)] = lower;
          entries[2 * (base + seen) + 1] = upper;
          found = ++seen;
          table[slot] = found;
        }
        if (ids !== undefined) ids[i - origin] = found - 1;
      }
      state[0] = seen;
      return i;
    },
    insert(entries, base, seen, table, shift) {
      const mask = table.length - 1;
      for (let e = 0; e < seen; e++) {
        const at = 2 * (base + e);
        let slot = hash(entries[at], entries[at + 1]) >>> shift;
        while (table[slot] !== 0) slot = (slot + 1) & mask;
        table[slot] = e + 1;
      }
    },
    count(entries, lo, hi, counts, row, shift) {
      for (let e = lo; e < hi; e++) counts[row + (bucketHash(entries[2 * e], entries[2 * e + 1]) >>> shift)]++;
    },
    scatter(entries, lo, hi, counts, row, shift, order) {
      for (let e = lo; e < hi; e++) {
        order[counts[row + (bucketHash(entries[2 * e], entries[2 * e + 1]) >>> shift)]++] = e;
      }
    },
    match(entries, order, lo, hi, table, shift, first) {
      const mask = table.length - 1;
      for (let k = lo; k < hi; k++) {
        const e = order[k];
        const lower = entries[2 * e];
        const upper = entries[2 * e + 1];
        let slot = hash(lower, upper) >>> shift;
        let found = table[slot];
        while (found !== 0) {
          const at = 2 * order[lo + found - 1];
          if (entries[at] === lower && entries[at + 1] === upper) break;
          slot = (slot + 1) & mask;
          found = table[slot];
        }
        if (found === 0) {
          found = k - lo + 1;
          table[slot] = found;
        }
        first[e] = order[lo + found - 1];
      }
    },
    copyFirst(entries, first, lo, hi, out, at) {
      for (let e = lo; e < hi; e++) {
        if (first[e] !== e) continue;
        out[2 * at] = entries[2 * e];
        out[2 * at + 1] = entries[2 * e + 1];
        at++;
      }
    },
  };
};

const asItIs = (word: number): number => word;
const yes = (): boolean => true;
const no = (): boolean => false;

/** A template's part: float32 as `Map` compares it, by its bits. */
const normalFloat32 = (word: number): number => {
  const magnitude = word & 0x7fffffff;
  return magnitude === 0 ? 0 : magnitude > 0x7f800000 ? 0x7fc00000 : word;
};

/** A template's part: float16 likewise, sign-extended. */
const normalFloat16 = (word: number): number => {
  const magnitude = word & 0x7fff;
  return magnitude === 0 ? 0 : magnitude > 0x7c00 ? 0x7e00 : word;
};

/** Words of an array's keys, for reading and writing. */
export function keyWords(xs: TypedArray): KeyWords {
  const name: string = xs[Symbol.toStringTag];
  if (xs.BYTES_PER_ELEMENT === 8) return new Int32Array(xs.buffer, xs.byteOffset, 2 * xs.length);
  if (name === 'Int32Array') return xs as KeyWords;
  if (xs.BYTES_PER_ELEMENT === 4) return new Int32Array(xs.buffer, xs.byteOffset, xs.length);
  if (name === 'Float16Array') return new Int16Array(xs.buffer, xs.byteOffset, xs.length) as unknown as KeyWords;
  return xs as KeyWords;
}

/** The kernel for keys of an array's type; another one for another use. */
export function groupKernel(xs: TypedArray, use: string): GroupKernel {
  const name: string = xs[Symbol.toStringTag];
  const tag = `${use} ${name}`;
  if (xs.BYTES_PER_ELEMENT === 8) return specialize(makePairKernel, tag, name === 'Float64Array' ? yes : no);
  if (name === 'Float32Array') return specialize(makeNarrowKernel, tag, normalFloat32);
  return specialize(makeNarrowKernel, tag, name === 'Float16Array' ? normalFloat16 : asItIs);
}
