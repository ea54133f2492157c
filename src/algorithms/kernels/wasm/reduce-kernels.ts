/**
 * AssemblyScript: blocks of the named reductions; runs on every thread. The scalar version is ../named-reductions.ts, whose order of
 * additions this keeps bit for bit.
 *
 * A kernel takes the address of the first element and the number of elements, at least one.
 */
import { AND, combine, combineLanes, MAX, MIN, OR, pairAt, PRODUCT, SUM, XOR } from './lanes';

/** Elements whose sum cannot overflow 32-bit lanes: 2^16 elements of 16 bits leave 2^29 in each of four. */
const NARROW_CHUNK: u32 = 1 << 16;

/** The eight accumulators of a block combined. */
@inline
function combineEight(a: v128, b: v128, c: v128, d: v128, op: i32): f64 {
  const all = combineLanes<f64>(combineLanes<f64>(a, c, op), combineLanes<f64>(b, d, op), op);
  return combine<f64>(f64x2.extract_lane(all, 0), f64x2.extract_lane(all, 1), op);
}

/** The sum or product. Eight accumulators in four vectors: element 8 t + j goes to the j-th, the last few to the first. */
@inline
function foldDoubles<T>(p: usize, n: u32, op: i32): f64 {
  let a = f64x2.splat(op == SUM ? -0.0 : 1.0);
  let b = a;
  let c = a;
  let d = a;
  const size = sizeof<T>();
  for (const end = p + (<usize>(n & ~7)) * size; p != end; p += 8 * size) {
    a = combineLanes<f64>(a, pairAt<T>(p), op);
    b = combineLanes<f64>(b, pairAt<T>(p + 2 * size), op);
    c = combineLanes<f64>(c, pairAt<T>(p + 4 * size), op);
    d = combineLanes<f64>(d, pairAt<T>(p + 6 * size), op);
  }
  let first = f64x2.extract_lane(a, 0);
  for (const end = p + (<usize>(n & 7)) * size; p != end; p += size) first = combine<f64>(first, <f64>load<T>(p), op);
  return combineEight(f64x2.replace_lane(a, 0, first), b, c, d, op);
}

/**
 * Sums of four blocks of n elements, a multiple of 8, each as above, and the sum of both pairs of them. Side by side, so that
 * four pages of memory are on their way at once: 5e7 float64 on two threads take 18.6 ms, one block after the other 24.
 * `totals`: where the four sums go, or 0.
 */
@inline
function sumFour<T>(p: usize, n: u32, totals: usize): f64 {
  const size = sizeof<T>();
  const block = (<usize>n) * size;
  let a0 = f64x2.splat(-0.0);
  let a1 = a0, a2 = a0, a3 = a0;
  let b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  let c0 = a0, c1 = a0, c2 = a0, c3 = a0;
  let d0 = a0, d1 = a0, d2 = a0, d3 = a0;
  let q = p + 2 * block;
  for (const end = p + block; p != end; p += 8 * size, q += 8 * size) {
    a0 = f64x2.add(a0, pairAt<T>(p));
    a1 = f64x2.add(a1, pairAt<T>(p + 2 * size));
    a2 = f64x2.add(a2, pairAt<T>(p + 4 * size));
    a3 = f64x2.add(a3, pairAt<T>(p + 6 * size));
    b0 = f64x2.add(b0, pairAt<T>(p + block));
    b1 = f64x2.add(b1, pairAt<T>(p + block + 2 * size));
    b2 = f64x2.add(b2, pairAt<T>(p + block + 4 * size));
    b3 = f64x2.add(b3, pairAt<T>(p + block + 6 * size));
    c0 = f64x2.add(c0, pairAt<T>(q));
    c1 = f64x2.add(c1, pairAt<T>(q + 2 * size));
    c2 = f64x2.add(c2, pairAt<T>(q + 4 * size));
    c3 = f64x2.add(c3, pairAt<T>(q + 6 * size));
    d0 = f64x2.add(d0, pairAt<T>(q + block));
    d1 = f64x2.add(d1, pairAt<T>(q + block + 2 * size));
    d2 = f64x2.add(d2, pairAt<T>(q + block + 4 * size));
    d3 = f64x2.add(d3, pairAt<T>(q + block + 6 * size));
  }
  const a = combineEight(a0, a1, a2, a3, SUM);
  const b = combineEight(b0, b1, b2, b3, SUM);
  const c = combineEight(c0, c1, c2, c3, SUM);
  const d = combineEight(d0, d1, d2, d3, SUM);
  if (totals != 0) {
    store<f64>(totals, a);
    store<f64>(totals, b, 8);
    store<f64>(totals, c, 16);
    store<f64>(totals, d, 24);
  }
  return a + b + (c + d);
}

/** Sums of four 32-bit lanes, of the 16 bytes at p. */
@inline
function narrowSums<T>(p: usize): v128 {
  const sums = v128.extadd_pairwise<T>(v128.load(p));
  if (sizeof<T>() == 2) return sums;
  return isSigned<T>() ? v128.extadd_pairwise<i16>(sums) : v128.extadd_pairwise<u16>(sums);
}

/** Both lanes of 64 bits added up. */
@inline
function total(sums: v128): i64 { return i64x2.extract_lane(sums, 0) + i64x2.extract_lane(sums, 1); }

@inline
function sumNarrow<T>(p: usize, n: u32): f64 {
  const lanes: u32 = 16 / <u32>sizeof<T>();
  let sum: i64 = 0;
  let left = n / lanes;
  n -= left * lanes;
  while (left > 0) {
    const vectors = min<u32>(left, NARROW_CHUNK / lanes);
    left -= vectors;
    let sums = i32x4.splat(0);
    for (const end = p + ((<usize>vectors) << 4); p != end; p += 16) sums = i32x4.add(sums, narrowSums<T>(p));
    sum += total(i64x2.add(i64x2.extend_low_i32x4_s(sums), i64x2.extend_high_i32x4_s(sums)));
  }
  for (const end = p + (<usize>n) * sizeof<T>(); p != end; p += sizeof<T>()) sum += <i64>load<T>(p);
  return <f64>sum;
}

@inline
function sumWords<T>(p: usize, n: u32): f64 {
  let a = i64x2.splat(0);
  let b = a;
  for (const end = p + ((<usize>(n & ~3)) << 2); p != end; p += 16) {
    const v = v128.load(p);
    a = i64x2.add(a, v128.extend_low<T>(v));
    b = i64x2.add(b, v128.extend_high<T>(v));
  }
  let sum = total(i64x2.add(a, b));
  for (const end = p + ((<usize>(n & 3)) << 2); p != end; p += 4) sum += <i64>load<T>(p);
  return <f64>sum;
}

/** Sums of the lower halves (unsigned) or of the upper halves of 64-bit elements; exact for 2^21 elements. */
@inline
function sumHalves<T>(p: usize, n: u32, upper: bool): f64 {
  let a = i64x2.splat(0);
  for (const end = p + ((<usize>(n & ~1)) << 3); p != end; p += 16) {
    const v = v128.load(p);
    a = i64x2.add(a, upper ? v128.shr<T>(v, 32) : v128.and(v, i64x2.splat(0xffffffff)));
  }
  let sum = total(a);
  if (n & 1) sum += upper ? <i64>(load<T>(p) >> 32) : <i64>load<u32>(p);
  return <f64>sum;
}

/** The least or greatest integer: two streams, see sumFour. */
@inline
function extremeInteger<T>(p: usize, n: u32, op: i32): T {
  const pairs = n / (32 / <u32>sizeof<T>());
  let best = load<T>(p);
  if (pairs > 0) {
    n -= pairs * (32 / <u32>sizeof<T>());
    const apart = (<usize>pairs) << 4;
    const end = p + apart;
    let a = v128.load(p);
    let b = v128.load(end);
    for (p += 16; p != end; p += 16) {
      a = combineLanes<T>(a, v128.load(p), op);
      b = combineLanes<T>(b, v128.load(p + apart), op);
    }
    p += apart;
    a = combineLanes<T>(a, b, op);
    // The lanes of the lower half; shifting brings them to the front one by one.
    let half = i64x2.extract_lane(combineLanes<T>(a, i64x2.shuffle(a, a, 1, 0), op), 0);
    for (let k: u32 = 0; k < 8; k += <u32>sizeof<T>()) {
      best = combine<T>(best, <T>half, op);
      if (sizeof<T>() < 8) half >>= 8 * sizeof<T>();
    }
  }
  for (const end = p + (<usize>n) * sizeof<T>(); p != end; p += sizeof<T>()) best = combine<T>(best, load<T>(p), op);
  return best;
}

/** Bytes by a bitwise operation, whatever their type, as words of 64 bits: two streams, see sumFour. */
@inline
function foldBits(p: usize, bytes: usize, op: i32): u64 {
  let a = i64x2.splat(op == AND ? -1 : 0);
  let b = a;
  const apart = (bytes >> 5) << 4;
  for (const end = p + apart; p != end; p += 16) {
    a = combineLanes<u64>(a, v128.load(p), op);
    b = combineLanes<u64>(b, v128.load(p + apart), op);
  }
  p += apart;
  a = combineLanes<u64>(a, b, op);
  let all = combine<u64>(i64x2.extract_lane(a, 0), i64x2.extract_lane(a, 1), op);
  for (const end = p + (bytes & 24); p != end; p += 8) all = combine<u64>(all, load<u64>(p), op);
  for (let bit: u64 = 0; bit != <u64>(bytes & 7) << 3; bit += 8, p++) {
    const others = op == AND ? ~(<u64>0xff << bit) : 0;
    all = combine<u64>(all, <u64>load<u8>(p) << bit | others, op);
  }
  return all;
}

/** The elements in a word of 64 bits combined. */
@inline
function elementsIn<T>(word: u64, op: i32): T {
  word = combine<u64>(word, word >> 32, op);
  if (sizeof<T>() < 4) word = combine<u64>(word, word >> 16, op);
  if (sizeof<T>() < 2) word = combine<u64>(word, word >> 8, op);
  return <T>word;
}

// Not inlined: one loop for each operation serves all types.
// for OP of AND OR XOR
function bits_OP(p: usize, bytes: usize): u64 { return foldBits(p, bytes, OP); }

@inline
function pseudoExtreme<T>(a: v128, b: v128, op: i32): v128 { return op == MIN ? v128.pmin<T>(a, b) : v128.pmax<T>(a, b); }

/**
 * The least or greatest float, as Math.min and Math.max have it. The vector operation of that meaning costs seven
 * instructions, the pseudo-minimum `x < m ? x : m` one; what it gets wrong is mended at the end: whether there was a NaN, and,
 * where zero is the result, which zero: there is a -0 if any sign is set (min), a 0 if any sign is not (max).
 */
@inline
function extremeFloat<T>(p: usize, n: u32, op: i32): T {
  const lanes: u32 = 16 / <u32>sizeof<T>();
  const pairs = n / (2 * lanes);
  let best = load<T>(p);
  if (pairs > 0) {
    const signOp = op == MIN ? OR : AND;
    let a = v128.splat<T>(<T>(op == MIN ? Infinity : -Infinity));
    let b = a;
    let nans = i64x2.splat(0);
    let signs = i64x2.splat(op == MIN ? 0 : -1);
    n -= pairs * 2 * lanes;
    const half = (<usize>pairs) << 4; // two streams: see sumFour
    for (const end = p + half; p != end; p += 16) {
      const x = v128.load(p);
      const y = v128.load(p + half);
      nans = v128.or(nans, v128.or(v128.ne<T>(x, x), v128.ne<T>(y, y)));
      a = pseudoExtreme<T>(a, x, op);
      b = pseudoExtreme<T>(b, y, op);
      signs = combineLanes<T>(signs, combineLanes<T>(x, y, signOp), signOp);
    }
    p += half;
    if (v128.any_true(nans)) return <T>NaN;
    a = pseudoExtreme<T>(a, b, op);
    a = pseudoExtreme<T>(a, i64x2.shuffle(a, a, 1, 0), op);
    best = v128.extract_lane<T>(a, 0);
    if (sizeof<T>() == 4) best = combine<T>(best, v128.extract_lane<T>(a, 1), op);
    if (best == <T>0) {
      const negative = sizeof<T>() == 8 ? i64x2.bitmask(signs) : i32x4.bitmask(signs);
      best = (op == MIN ? negative != 0 : negative == (1 << lanes) - 1) ? <T>-0.0 : <T>0;
    }
  }
  for (const end = p + (<usize>n) * sizeof<T>(); p != end; p += sizeof<T>()) best = combine<T>(best, load<T>(p), op);
  return best;
}

// for T of i8 u8 i16 u16
export function sum_T(p: usize, n: u32): f64 { return sumNarrow<T>(p, n); }
// for T of i32 u32
export function sum_T(p: usize, n: u32): f64 { return sumWords<T>(p, n); }
// for T of f32 f64
export function sum_T(p: usize, n: u32): f64 { return foldDoubles<T>(p, n, SUM); }
// for T of f32 f64
export function sumFour_T(p: usize, n: u32, totals: usize): f64 { return sumFour<T>(p, n, totals); }
// for T of i64 u64
export function sumLower_T(p: usize, n: u32): f64 { return sumHalves<T>(p, n, false); }
// for T of i64 u64
export function sumUpper_T(p: usize, n: u32): f64 { return sumHalves<T>(p, n, true); }
// for T of f32 f64
export function product_T(p: usize, n: u32): f64 { return foldDoubles<T>(p, n, PRODUCT); }
// for OP of MIN MAX, T of f32 f64
export function OP_T(p: usize, n: u32): f64 { return extremeFloat<T>(p, n, OP); }
// for OP of MIN MAX, T of i8 u8 i16 u16 i32 u32
export function OP_T(p: usize, n: u32): f64 { return <f64>extremeInteger<T>(p, n, OP); }
// for OP of MIN MAX, T of i64 u64
export function OP_T(p: usize, n: u32): T { return extremeInteger<T>(p, n, OP); }
// for OP of AND OR XOR, T of i8 u8 i16 u16 i32 u32
export function OP_T(p: usize, n: u32): i32 { return elementsIn<T>(bits_OP(p, (<usize>n) * sizeof<T>()), OP); }
// for OP of AND OR XOR, T of i64 u64
export function OP_T(p: usize, n: u32): T { return <T>bits_OP(p, (<usize>n) << 3); }
