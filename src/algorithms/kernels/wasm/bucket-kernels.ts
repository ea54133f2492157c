/**
 * AssemblyScript: sorting numbers by their bits. The elements are partitioned once into many buckets, whose bounds follow a
 * sample; then a radix sort orders each bucket in the cache (range-kernels.ts). Runs on every thread that computes;
 * bucket-job.ts says which thread does what, and when.
 *
 * An element's bits become a key of K (u32 or u64) that orders as an unsigned integer: see keys.ts. P is a payload that moves
 * along with each element: u32 indices, or void.
 *
 * A plan says how a range is partitioned. Keys are taken relative to `base`, and cut off at 0 and `extent`. The upper bits of such a
 * key name one of at most 4096 cells. The table has a word for each cell: the first bucket of the cell, and by how many bits
 * the rest of the key is shifted to name one of the cell's buckets. So cells where the sample is dense have many buckets, and
 * sparse cells share one: whatever the distribution, exponents or mantissas. Where the sample is spread evenly the plan is flat:
 * buckets have equal widths, and the table is not read.
 *
 *     plan    | frame | table | widths | room for the sample |
 *     frame   | base: u64 | extent: u64 | shift of a cell, or of a flat plan's bucket: u32 | buckets: u32 | is flat: u32 |
 *     table   | first bucket << 6 | shift |    one u32 a cell
 *     widths  | how many of the lowest bits the keys of a bucket may differ in |    one u8 a bucket
 *
 * Elements are moved within chunks that fit into the cache, and a bucket's parts are gathered when it is sorted. Measured on
 * 1e7 random uint32 and float64 on one core (CPU time, ms): finding buckets 18 (flat: 14) and 24, bringing the other side into the cache
 * 3 and 7, moving 17 and 21, sorting 43 and 65; 83 and 118 in all. Moving all elements to their places in one pass over memory took
 * 47 and 43 for that pass alone, 150 and 182 in all, since each bucket's next line and page had to be waited for. Rejected:
 * finding the bucket again when moving instead of noting it (+40 ms), encoding keys when moving (+30), one pass by as many
 * digits as elements and insertion (+60, branches), not bringing the other side into the cache first (uint32: +20), nor
 * elements before their buckets are found (float64: +10).
 */

import { bitsOf, bytesOf, FLOAT, flipOf, keyOf, lastOf, maskOf } from './keys';
import { allDigits, bump, put, touch, word } from './radix-passes';

const CELLS: u32 = 4096;

/** Of virtual memory (bytes): 4096 or more. */
const PAGE: usize = 4096;

// Where the parts of a plan begin (bytes); bucket-control.ts has the same in words.
const TABLE: usize = 32;
const WIDTHS: usize = TABLE + 4 * 4096;
const SAMPLE: usize = WIDTHS + 4 * 2048;

function storeFrame(plan: usize, base: u64, extent: u64, shift: u32, buckets: u32, isFlat: u32): void {
  store<u64>(plan, base);
  store<u64>(plan, extent, 8);
  store<u32>(plan, shift, 16);
  store<u32>(plan, buckets, 20);
  store<u32>(plan, isFlat, 24);
}

/**
 * Plans about `wanted` buckets for n elements, and 2.5 times as many at most, by 256 to 4096 of the elements. A width is 0 where
 * a bucket has one key, and all bits where nothing is known.
 */
@inline function makePlan<K>(from: usize, n: u32, kind: i32, wanted: u32, plan: usize): void {
  const ALL = <u8>(sizeof<K>() * 8);
  const sampleBits: u32 = min<u32>(12, max<u32>(8, 27 - min<u32>(27, clz<u32>(n))));
  const size: u32 = 1 << sampleBits;
  const mask = maskOf<K>(kind);
  const flip = flipOf<K>(kind);
  const last = lastOf<K>(kind);
  const table = plan + TABLE;
  const widths = plan + WIDTHS;
  const sample = plan + SAMPLE;
  let random: u32 = 0x9e3779b9;
  for (let i: u32 = 0; i < size; i++) {
    random = random * 1664525 + 1013904223;
    const at = <u32>((<u64>i * n + ((<u64>random * n) >> 32)) >> <u64>sampleBits);
    store<K>(sample + bytesOf<K>(i), keyOf<K>(load<K>(from + bytesOf<K>(at)), mask, flip, last));
  }
  const keys = allDigits<K, void>(sample, sample + bytesOf<K>(size), size, sizeof<K>() * 8, sample + bytesOf<K>(2 * size), 0, 0);
  let base = load<K>(keys + bytesOf<K>(size >> 9));
  const top = load<K>(keys + bytesOf<K>(size - 1 - (size >> 9)));
  let extent = top - base;
  if (extent == 0) {
    // Hardly anything but one key: what is less, the key, what is more.
    const isLeast = base == 0;
    if (!isLeast) base -= 1;
    store<u32>(table, 0);
    store<u32>(table, 1 << 6, 4);
    store<u32>(table, 2 << 6, 8);
    store<u8>(widths, isLeast ? 0 : ALL);
    store<u8>(widths, 0, 1);
    store<u8>(widths, ALL, 2);
    storeFrame(plan, <u64>base, 2, 0, 3, 0);
    return;
  }
  const perBucket: u32 = max<u32>(1, size / wanted);
  let shift = shiftFor<K>(base, top, wanted);
  if (shift != 0 && isFlat<K>(keys, size, base, top, <K>shift, 2 * perBucket + 8)) {
    base = (base >> <K>shift) << <K>shift;
    const most = <u32>((top - base) >> <K>shift);
    memory.fill(widths, <u8>shift, most + 1);
    store<u8>(widths, ALL);
    store<u8>(widths + most, ALL);
    storeFrame(plan, <u64>base, <u64>(top - base), shift, most + 1, 1);
    return;
  }
  shift = shiftFor<K>(base, top, CELLS);
  // Aligned, so that keys of one cell agree in their upper bits.
  base = (base >> <K>shift) << <K>shift;
  extent = top - base;
  const cells: u32 = <u32>(extent >> <K>shift) + 1;
  // Sparse cells share a bucket within a group of cells only, if there is anything: few bits differ then.
  const group: K = <K>1 << (32 - clz<u32>(max<u32>(1, 2 * cells / wanted) - 1));
  const firstCell = base >> <K>shift;
  let next: u32 = 0; // of the sample
  let bucket: u32 = 0;
  let weight: u32 = 0; // of the open bucket, which sparse cells share
  let opened: K = 0; // the cell that opened it
  let open = false;
  for (let cell: u32 = 0; cell < cells; cell++) {
    let count: u32 = 0;
    while (next < size) {
      const key = load<K>(keys + bytesOf<K>(next));
      const d: K = key <= base ? 0 : min<K>(key - base, extent);
      if (<u32>(d >> <K>shift) != cell) break;
      next++;
      count++;
    }
    const share = count / perBucket;
    const isDense = share >= 2 && shift > 0;
    if (open && (isDense || (weight != 0 && ((firstCell + cell) & (group - 1)) == 0))) {
      bucket++;
      weight = 0;
      open = false;
    }
    if (isDense) {
      const split = min<u32>(31 - clz<u32>(share), shift);
      store<u32>(word(table, cell), (bucket << 6) | (shift - split));
      memory.fill(widths + bucket, <u8>(shift - split), 1 << split);
      bucket += <u32>1 << split;
      continue;
    }
    if (!open) opened = firstCell + cell;
    open = true;
    store<u32>(word(table, cell), (bucket << 6) | shift);
    store<u8>(widths + bucket, <u8>(shift + sizeof<K>() * 8 - <u32>clz<K>(opened ^ (firstCell + cell))));
    weight += count;
    if (weight >= perBucket) {
      bucket++;
      weight = 0;
      open = false;
    }
  }
  // What is cut off lands here, whatever its upper bits.
  store<u8>(widths, ALL);
  store<u8>(widths + bucketOf<K>(top, base, extent, <K>shift, (<K>1 << shift) - 1, table, false), ALL);
  storeFrame(plan, <u64>base, <u64>extent, shift, bucket + 1, 0);
}

/** By how many bits keys are shifted, so that at most `most` different ones are left from `base` to `top`. */
function shiftFor<K>(base: K, top: K, most: u32): u32 {
  const bits: u32 = sizeof<K>() * 8 - <u32>clz<K>(top - base);
  const shift: u32 = max<i32>(0, <i32>(bits + clz<u32>(most)) - 31);
  return <u32>((top >> <K>shift) - (base >> <K>shift)) >= most ? shift + 1 : shift;
}

/** Checks whether buckets of equal width would do: none has more than `most` of the sample's sorted keys. */
function isFlat<K>(keys: usize, n: u32, base: K, top: K, shift: K, most: u32): bool {
  let bucket: K = 0;
  let count: u32 = 0;
  for (; n != 0; n--, keys += sizeof<K>()) {
    const key = load<K>(keys);
    if (key < base || key > top) continue;
    if (key >> shift != bucket) count = 0;
    bucket = key >> shift;
    if (++count > most) return false;
  }
  return true;
}

@inline function bucketOf<K>(key: K, base: K, extent: K, shift: K, below: K, table: usize, isFlat: bool): u32 {
  let d = key - base;
  if (d > extent) d = key < base ? 0 : extent;
  if (isFlat) return <u32>(d >> shift);
  const entry = load<u32>(word(table, <u32>(d >> shift)));
  return (entry >>> 6) + <u32>((d & below) >> <K>(entry & 63));
}

/** Notes the bucket of each of n elements in `ids` (u16), and counts them in `counts`. */
@inline function classifyAs<K>(from: usize, n: u32, mask: K, flip: K, last: K, plan: usize, ids: usize, counts: usize, isFlat: bool): void {
  const base = <K>load<u64>(plan);
  const extent = <K>load<u64>(plan, 8);
  const shift = <K>load<u32>(plan, 16);
  const below: K = (<K>1 << shift) - 1;
  const table = plan + TABLE;
  for (; n >= 4; n -= 4, from += 4 * sizeof<K>(), ids += 8) {
    const b0 = bucketOf<K>(keyOf<K>(load<K>(from), mask, flip, last), base, extent, shift, below, table, isFlat);
    const b1 = bucketOf<K>(keyOf<K>(load<K>(from, sizeof<K>()), mask, flip, last), base, extent, shift, below, table, isFlat);
    const b2 = bucketOf<K>(keyOf<K>(load<K>(from, 2 * sizeof<K>()), mask, flip, last), base, extent, shift, below, table, isFlat);
    const b3 = bucketOf<K>(keyOf<K>(load<K>(from, 3 * sizeof<K>()), mask, flip, last), base, extent, shift, below, table, isFlat);
    store<u64>(ids, <u64>b0 | (<u64>b1 << 16) | (<u64>b2 << 32) | (<u64>b3 << 48));
    bump(word(counts, b0));
    bump(word(counts, b1));
    bump(word(counts, b2));
    bump(word(counts, b3));
  }
  for (; n != 0; n--, from += sizeof<K>(), ids += 2) {
    const b = bucketOf<K>(keyOf<K>(load<K>(from), mask, flip, last), base, extent, shift, below, table, isFlat);
    store<u16>(ids, b);
    bump(word(counts, b));
  }
}

@inline function classify<K>(from: usize, n: u32, kind: i32, plan: usize, ids: usize, counts: usize): void {
  const flip = flipOf<K>(kind);
  touch(from, bytesOf<K>(n), ids);
  const isFlat = load<u32>(plan, 24) != 0;
  if ((kind & 3) == FLOAT) {
    const mask = maskOf<K>(kind);
    const last = lastOf<K>(kind);
    if (isFlat) classifyAs<K>(from, n, mask, flip, last, plan, ids, counts, true);
    else classifyAs<K>(from, n, mask, flip, last, plan, ids, counts, false);
  } else if (isFlat) classifyAs<K>(from, n, 0, flip, <K>-1, plan, ids, counts, true);
  else classifyAs<K>(from, n, 0, flip, <K>-1, plan, ids, counts, false);
}

/**
 * Turns the counts of a chunk's buckets into their places, which begin with `first`. Then it brings the lines from `to` on into
 * the cache in the order of their addresses, before they are written in another. Each page is written first: a load would
 * map a fresh page to the page of zeros, and the first store would map it again.
 */
export function openPlaces(counts: usize, buckets: u32, first: u32, to: usize, bytes: usize): void {
  let place = first;
  for (; buckets != 0; buckets--, counts += 4) {
    const count = load<u32>(counts);
    store<u32>(counts, place);
    place += count;
  }
  for (let page: usize = 0; page < bytes; page += PAGE) store<u8>(to + page, 0);
  touch(to, bytes, counts);
}

/**
 * Rows of words become columns: `columns` words of each of `rows` chunks, from where a chunk begins to where its last bucket
 * ends. `starts` gets where the parts of all chunks together begin.
 */
export function turnPlaces(from: usize, rows: u32, rowBytes: usize, columns: u32, to: usize, starts: usize): void {
  let begin: u32 = 0;
  for (let column: u32 = 0; column != columns; column++, from += 4, starts += 4) {
    let sum: u32 = 0;
    let at = from;
    for (let row = rows; row != 0; row--, at += rowBytes, to += 4) {
      const place = load<u32>(at);
      store<u32>(to, place);
      sum += place;
    }
    if (column == 0) begin = sum;
    store<u32>(starts, sum - begin);
  }
}

/** Moves n elements to the places of their buckets. */
@inline function scatter<K, P>(from: usize, n: u32, to: usize, ids: usize, places: usize, p: usize, pTo: usize): void {
  for (; n >= 4; n -= 4, from += 4 * sizeof<K>(), ids += 8) {
    const b = load<u64>(ids);
    put<K, P>(word(places, <u32>b & 0xffff), load<K>(from), to, p, pTo);
    put<K, P>(word(places, <u32>b >>> 16), load<K>(from, sizeof<K>()), to, p + 4, pTo);
    put<K, P>(word(places, <u32>(b >> 32) & 0xffff), load<K>(from, 2 * sizeof<K>()), to, p + 8, pTo);
    put<K, P>(word(places, <u32>(b >> 48)), load<K>(from, 3 * sizeof<K>()), to, p + 12, pTo);
    if (!isVoid<P>()) p += 16;
  }
  for (; n != 0; n--, from += sizeof<K>(), ids += 2) {
    put<K, P>(word(places, load<u16>(ids)), load<K>(from), to, p, pTo);
    if (!isVoid<P>()) p += 4;
  }
}

// for K of u32 u64
export function plan_K(from: usize, n: u32, kind: i32, wanted: u32, plan: usize): void { makePlan<K>(from, n, kind, wanted, plan); }
// for K of u32 u64
export function classify_K(from: usize, n: u32, kind: i32, plan: usize, ids: usize, counts: usize): void { classify<K>(from, n, kind, plan, ids, counts); }
// for K of u32 u64, P of void u32
export function scatter_K_P(from: usize, n: u32, to: usize, ids: usize, places: usize, p: usize, pTo: usize): void { scatter<K, P>(from, n, to, ids, places, p, pTo); }
