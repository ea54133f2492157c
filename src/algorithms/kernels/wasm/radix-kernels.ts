/**
 * AssemblyScript: pieces of radix sorts, least significant digit first; runs on every thread.
 * The sorts, and what digits and keys are: ../heap-sort.ts, ../radix-sort.ts.
 *
 * `counts` is the address of 2048 counters of a digit, in the caller's memory, where several digits lie one after another.
 * `kind` says how an element becomes a key that orders as an unsigned integer: 0 as it is, 1 signed, 2 float.
 */

const BUCKETS = 2048;
const DIGIT_MASK: u32 = BUCKETS - 1;
const TABLE_BYTES: usize = 4 * BUCKETS;

// @ts-ignore: decorator
@inline
function key32(word: i32, signMask: i32, flip: i32): u32 {
  return <u32>(word ^ (((word >> 31) & signMask) | flip));
}

// @ts-ignore: decorator
@inline
function key64(word: i64, signMask: i64, flip: i64): u64 {
  return <u64>(word ^ (((word >> 63) & signMask) | flip));
}

// @ts-ignore: decorator
@inline
function tally(counts: usize, digit: u32): void {
  const p = counts + ((<usize>digit) << 2);
  store<u32>(p, load<u32>(p) + 1);
}

/** Adds to the counts of the three digits of every `stride`-th word; gives the greatest of them without its sign bit. */
// @ts-ignore: decorator
@inline
function countWords(p: usize, n: u32, stride: usize, counts: usize, kind: u32): u32 {
  const signMask = -i32(kind == 2);
  const flip = i32(kind != 0) << 31;
  let most: u32 = 0;
  for (const end = p + (<usize>n) * stride; p != end; p += stride) {
    const word = load<i32>(p);
    most = max<u32>(most, <u32>word & 0x7fffffff);
    const key = key32(word, signMask, flip);
    tally(counts, key & DIGIT_MASK);
    tally(counts + TABLE_BYTES, (key >> 11) & DIGIT_MASK);
    tally(counts + 2 * TABLE_BYTES, key >> 22);
  }
  return most;
}

export function countDigits32(p: usize, n: u32, counts: usize, kind: u32): u32 {
  return countWords(p, n, 4, counts, kind);
}

/** The digits of the upper words only. */
export function countDigitsUpper64(p: usize, n: u32, counts: usize, kind: u32): u32 {
  return countWords(p + 4, n, 8, counts, kind);
}

/** Adds to the counts of all six digits: three of the lower word, three of the upper one. */
export function countDigits64(p: usize, n: u32, counts: usize, kind: u32): void {
  const signMask = -i64(kind == 2);
  const flip = i64(kind != 0) << 63;
  for (const end = p + ((<usize>n) << 3); p != end; p += 8) {
    const key = key64(load<i64>(p), signMask, flip);
    const lower = <u32>key;
    const upper = <u32>(key >> 32);
    tally(counts, lower & DIGIT_MASK);
    tally(counts + TABLE_BYTES, (lower >> 11) & DIGIT_MASK);
    tally(counts + 2 * TABLE_BYTES, lower >> 22);
    tally(counts + 3 * TABLE_BYTES, upper & DIGIT_MASK);
    tally(counts + 4 * TABLE_BYTES, (upper >> 11) & DIGIT_MASK);
    tally(counts + 5 * TABLE_BYTES, upper >> 22);
  }
}

/** Turns the counts of one digit into start positions; true if all n elements share it, so that its pass can be left out. */
export function startsOfDigit(counts: usize, n: u32): bool {
  let sum: u32 = 0;
  for (const end = counts + TABLE_BYTES; counts != end; counts += 4) {
    const count = load<u32>(counts);
    if (count == n) return true;
    store<u32>(counts, sum);
    sum += count;
  }
  return false;
}

/** The next position of a digit, as bytes from the start of elements of 2^shift bytes. */
// @ts-ignore: decorator
@inline
function next(counts: usize, digit: u32): usize {
  const p = counts + ((<usize>digit) << 2);
  const position = load<u32>(p);
  store<u32>(p, position + 1);
  return position;
}

/** Moves elements to the positions of their digits, which begins at bit `shift` of the key. */
export function scatter32(src: usize, n: u32, dst: usize, counts: usize, shift: u32, kind: u32): void {
  const signMask = -i32(kind == 2);
  const flip = i32(kind != 0) << 31;
  for (const end = src + ((<usize>n) << 2); src != end; src += 4) {
    const word = load<i32>(src);
    const digit = (key32(word, signMask, flip) >> shift) & DIGIT_MASK;
    store<i32>(dst + (next(counts, digit) << 2), word);
  }
}

/** The same with 64 bits; `shift` is 0, 11, 22, 32, 43 or 54. */
export function scatter64(src: usize, n: u32, dst: usize, counts: usize, shift: u32, kind: u32): void {
  const signMask = -i64(kind == 2);
  const flip = i64(kind != 0) << 63;
  const mask: u32 = shift == 22 ? 1023 : DIGIT_MASK;
  for (const end = src + ((<usize>n) << 3); src != end; src += 8) {
    const word = load<i64>(src);
    const digit = <u32>(key64(word, signMask, flip) >> shift) & mask;
    store<i64>(dst + (next(counts, digit) << 3), word);
  }
}

/** The same, and the uint32 of `with` go the way of their elements. */
export function scatterWith32(
  src: usize, withSrc: usize, n: u32, dst: usize, withDst: usize, counts: usize, shift: u32, kind: u32,
): void {
  const signMask = -i32(kind == 2);
  const flip = i32(kind != 0) << 31;
  for (const end = src + ((<usize>n) << 2); src != end; src += 4) {
    const word = load<i32>(src);
    const at = next(counts, (key32(word, signMask, flip) >> shift) & DIGIT_MASK) << 2;
    store<i32>(dst + at, word);
    store<u32>(withDst + at, load<u32>(withSrc));
    withSrc += 4;
  }
}

export function scatterWith64(
  src: usize, withSrc: usize, n: u32, dst: usize, withDst: usize, counts: usize, shift: u32, kind: u32,
): void {
  const signMask = -i64(kind == 2);
  const flip = i64(kind != 0) << 63;
  const mask: u32 = shift == 22 ? 1023 : DIGIT_MASK;
  for (const end = src + ((<usize>n) << 3); src != end; src += 8) {
    const word = load<i64>(src);
    const at = next(counts, <u32>(key64(word, signMask, flip) >> shift) & mask) << 2;
    store<i64>(dst + 2 * at, word);
    store<u32>(withDst + at, load<u32>(withSrc));
    withSrc += 4;
  }
}

/** Insertion sort of floats without NaN while copying; false, all copied, if more than `moves` would have to be moved. */
export function insertF64(src: usize, n: u32, dst: usize, moves: f64): bool {
  let left = <i64>moves;
  let previous: f64 = -Infinity;
  const first = dst;
  for (const end = src + ((<usize>n) << 3); src != end; src += 8) {
    const x = load<f64>(src);
    if (previous <= x) {
      store<f64>(dst, x);
      previous = x;
    } else {
      let hole = dst;
      while (hole != first) {
        const y = load<f64>(hole - 8);
        if (!(y > x)) break;
        store<f64>(hole, y);
        hole -= 8;
      }
      store<f64>(hole, x);
      left -= <i64>((dst - hole) >> 3);
      if (left < 0) {
        memory.copy(dst + 8, src + 8, end - src - 8);
        return false;
      }
    }
    dst += 8;
  }
  return true;
}

/** The same in place, for keys and what belongs to them; NaN may be there, behind all others. Stable. */
export function insertWithF64(keys: usize, withKeys: usize, n: u32, moves: f64): bool {
  let left = <i64>moves;
  let previous: f64 = -Infinity;
  let at = withKeys;
  for (const end = keys + ((<usize>n) << 3), first = keys; keys != end; keys += 8) {
    const x = load<f64>(keys);
    if (previous > x) {
      const carried = load<u32>(at);
      let hole = keys;
      let withHole = at;
      while (hole != first) {
        const y = load<f64>(hole - 8);
        if (!(y > x)) break;
        store<f64>(hole, y);
        store<u32>(withHole, load<u32>(withHole - 4));
        hole -= 8;
        withHole -= 4;
      }
      store<f64>(hole, x);
      store<u32>(withHole, carried);
      left -= <i64>((keys - hole) >> 3);
      if (left < 0) return false;
    } else previous = x;
    at += 4;
  }
  return true;
}
