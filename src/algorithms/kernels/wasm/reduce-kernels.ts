/**
 * AssemblyScript: blocks of the named reductions; runs on every thread. The scalar version is ../named-reductions.ts, whose order of
 * additions this keeps bit for bit.
 *
 * A kernel takes the address of the first element and the number of elements, at least one.
 */
import { greater, lesser, pairAt } from './lanes';

/** Elements whose sum cannot overflow 32-bit lanes: 2^16 elements of 16 bits leave 2^29 in each of four. */
const NARROW_CHUNK: u32 = 1 << 16;

/** Eight accumulators in four vectors: element 8 t + j goes to the j-th, the last few to the first. */
@inline
function foldDoubles<T>(p: usize, n: u32, isSum: bool): f64 {
  let a = f64x2.splat(isSum ? -0.0 : 1.0);
  let b = a;
  let c = a;
  let d = a;
  const size = sizeof<T>();
  for (const end = p + (<usize>(n & ~7)) * size; p != end; p += 8 * size) {
    if (isSum) {
      a = f64x2.add(a, pairAt<T>(p));
      b = f64x2.add(b, pairAt<T>(p + 2 * size));
      c = f64x2.add(c, pairAt<T>(p + 4 * size));
      d = f64x2.add(d, pairAt<T>(p + 6 * size));
    } else {
      a = f64x2.mul(a, pairAt<T>(p));
      b = f64x2.mul(b, pairAt<T>(p + 2 * size));
      c = f64x2.mul(c, pairAt<T>(p + 4 * size));
      d = f64x2.mul(d, pairAt<T>(p + 6 * size));
    }
  }
  let first = f64x2.extract_lane(a, 0);
  for (const end = p + (<usize>(n & 7)) * size; p != end; p += size) {
    const x = <f64>load<T>(p);
    first = isSum ? first + x : first * x;
  }
  a = f64x2.replace_lane(a, 0, first);
  const all = isSum ? f64x2.add(f64x2.add(a, c), f64x2.add(b, d)) : f64x2.mul(f64x2.mul(a, c), f64x2.mul(b, d));
  const even = f64x2.extract_lane(all, 0);
  const odd = f64x2.extract_lane(all, 1);
  return isSum ? even + odd : even * odd;
}

/** The accumulators of one block added up. */
@inline
function addUp(a: v128, b: v128, c: v128, d: v128): f64 {
  const all = f64x2.add(f64x2.add(a, c), f64x2.add(b, d));
  return f64x2.extract_lane(all, 0) + f64x2.extract_lane(all, 1);
}

/**
 * Sums of four blocks of n elements, a multiple of 8, each as above, and what they come to as two pairs. Side by side, so that
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
  const a = addUp(a0, a1, a2, a3);
  const b = addUp(b0, b1, b2, b3);
  const c = addUp(c0, c1, c2, c3);
  const d = addUp(d0, d1, d2, d3);
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
  const v = v128.load(p);
  if (sizeof<T>() == 1) {
    return isSigned<T>()
      ? i32x4.extadd_pairwise_i16x8_s(i16x8.extadd_pairwise_i8x16_s(v))
      : i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(v));
  }
  return isSigned<T>() ? i32x4.extadd_pairwise_i16x8_s(v) : i32x4.extadd_pairwise_i16x8_u(v);
}

@inline
function sumNarrow<T>(p: usize, n: u32): f64 {
  const lanes: u32 = 16 / <u32>sizeof<T>();
  let total: i64 = 0;
  let left = n / lanes;
  n -= left * lanes;
  while (left > 0) {
    const vectors = min<u32>(left, NARROW_CHUNK / lanes);
    left -= vectors;
    let sums = i32x4.splat(0);
    for (const end = p + ((<usize>vectors) << 4); p != end; p += 16) sums = i32x4.add(sums, narrowSums<T>(p));
    total += <i64>i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1);
    total += <i64>i32x4.extract_lane(sums, 2) + i32x4.extract_lane(sums, 3);
  }
  for (const end = p + (<usize>n) * sizeof<T>(); p != end; p += sizeof<T>()) total += <i64>load<T>(p);
  return <f64>total;
}

@inline
function sumWords<T>(p: usize, n: u32): f64 {
  let a = i64x2.splat(0);
  let b = a;
  for (const end = p + ((<usize>(n & ~3)) << 2); p != end; p += 16) {
    const v = v128.load(p);
    a = i64x2.add(a, isSigned<T>() ? i64x2.extend_low_i32x4_s(v) : i64x2.extend_low_i32x4_u(v));
    b = i64x2.add(b, isSigned<T>() ? i64x2.extend_high_i32x4_s(v) : i64x2.extend_high_i32x4_u(v));
  }
  a = i64x2.add(a, b);
  let total = i64x2.extract_lane(a, 0) + i64x2.extract_lane(a, 1);
  for (const end = p + ((<usize>(n & 3)) << 2); p != end; p += 4) total += <i64>load<T>(p);
  return <f64>total;
}

/** Sums of the lower halves (unsigned) or of the upper halves of 64-bit elements; exact for 2^21 elements. */
@inline
function sumHalves<T>(p: usize, n: u32, upper: bool): f64 {
  let a = i64x2.splat(0);
  for (const end = p + ((<usize>(n & ~1)) << 3); p != end; p += 16) {
    const v = v128.load(p);
    if (!upper) a = i64x2.add(a, v128.and(v, i64x2.splat(0xffffffff)));
    else a = i64x2.add(a, isSigned<T>() ? i64x2.shr_s(v, 32) : i64x2.shr_u(v, 32));
  }
  let total = i64x2.extract_lane(a, 0) + i64x2.extract_lane(a, 1);
  if (n & 1) total += upper ? <i64>(load<T>(p) >> 32) : <i64>load<u32>(p);
  return <f64>total;
}

@inline
function extremeLanes<T>(a: v128, b: v128, isMin: bool): v128 {
  if (sizeof<T>() < 8) return isMin ? v128.min<T>(a, b) : v128.max<T>(a, b);
  // There is no minimum of 64-bit lanes; unsigned ones compare with their sign bits flipped.
  const flip = i64x2.splat(isSigned<T>() ? 0 : i64.MIN_VALUE);
  const aIsGreater = i64x2.gt_s(v128.xor(a, flip), v128.xor(b, flip));
  return isMin ? v128.bitselect(b, a, aIsGreater) : v128.bitselect(a, b, aIsGreater);
}

/** The least or greatest integer. */
@inline
function extremeInteger<T>(p: usize, n: u32, isMin: bool): T {
  const lanes: u32 = 16 / <u32>sizeof<T>();
  let m = load<T>(p);
  if (n >= 2 * lanes) {
    const pairs = n / (2 * lanes);
    n -= pairs * 2 * lanes;
    const apart = (<usize>pairs) << 4;
    let a = v128.load(p);
    let b = v128.load(p + apart);
    const end = p + apart;
    for (p += 16; p != end; p += 16) {
      a = extremeLanes<T>(a, v128.load(p), isMin);
      b = extremeLanes<T>(b, v128.load(p + apart), isMin);
    }
    p += apart;
    a = extremeLanes<T>(a, b, isMin);
    b = i8x16.shuffle(a, a, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    a = extremeLanes<T>(a, b, isMin);
    // The lanes of the lower half; shifting brings them to the front one by one.
    let half = i64x2.extract_lane(a, 0);
    for (let k: u32 = 0; k < 8; k += <u32>sizeof<T>()) {
      m = isMin ? lesser<T>(m, <T>half) : greater<T>(m, <T>half);
      if (sizeof<T>() < 8) half >>= 8 * sizeof<T>();
    }
  }
  for (const end = p + (<usize>n) * sizeof<T>(); p != end; p += sizeof<T>()) {
    m = isMin ? lesser<T>(m, load<T>(p)) : greater<T>(m, load<T>(p));
  }
  return m;
}

/**
 * The least or greatest float, as Math.min and Math.max have it. The vector operation of that meaning costs seven
 * instructions, the pseudo-minimum `x < m ? x : m` one; what it gets wrong is mended at the end: whether there was a NaN, and,
 * where zero is the result, which zero: there is a -0 if any sign is set (min), a 0 if any sign is not (max).
 */
@inline
function extremeFloat<T>(p: usize, n: u32, isMin: bool): T {
  const lanes: u32 = 16 / <u32>sizeof<T>();
  let m = load<T>(p);
  if (n >= 2 * lanes) {
    let a = v128.splat<T>(<T>(isMin ? Infinity : -Infinity));
    let b = a;
    let nans = i64x2.splat(0);
    let signs = isMin ? nans : i64x2.splat(-1);
    const pairs = n / (2 * lanes);
    n -= pairs * 2 * lanes;
    const half = (<usize>pairs) << 4; // two streams: see sumFour
    for (const end = p + half; p != end; p += 16) {
      const x = v128.load(p);
      const y = v128.load(p + half);
      nans = v128.or(nans, v128.or(v128.ne<T>(x, x), v128.ne<T>(y, y)));
      if (isMin) {
        a = v128.pmin<T>(a, x);
        b = v128.pmin<T>(b, y);
        signs = v128.or(signs, v128.or(x, y));
      } else {
        a = v128.pmax<T>(a, x);
        b = v128.pmax<T>(b, y);
        signs = v128.and(signs, v128.and(x, y));
      }
    }
    p += half;
    if (v128.any_true(nans)) return <T>NaN;
    a = isMin ? v128.pmin<T>(a, b) : v128.pmax<T>(a, b);
    let best = v128.extract_lane<T>(a, 0);
    best = isMin ? lesser<T>(best, v128.extract_lane<T>(a, 1)) : greater<T>(best, v128.extract_lane<T>(a, 1));
    if (sizeof<T>() == 4) {
      best = isMin ? lesser<T>(best, v128.extract_lane<T>(a, 2)) : greater<T>(best, v128.extract_lane<T>(a, 2));
      best = isMin ? lesser<T>(best, v128.extract_lane<T>(a, 3)) : greater<T>(best, v128.extract_lane<T>(a, 3));
    }
    if (best == <T>0) {
      if (isMin) best = (sizeof<T>() == 8 ? i64x2.bitmask(signs) : i32x4.bitmask(signs)) != 0 ? <T>-0.0 : <T>0;
      else best = (sizeof<T>() == 8 ? i64x2.bitmask(signs) : i32x4.bitmask(signs)) == (1 << lanes) - 1 ? <T>-0.0 : <T>0;
    }
    m = best;
  }
  for (const end = p + (<usize>n) * sizeof<T>(); p != end; p += sizeof<T>()) {
    m = isMin ? lesser<T>(m, load<T>(p)) : greater<T>(m, load<T>(p));
  }
  return m;
}

const AND = 0;
const OR = 1;
const XOR = 2;

@inline
function bitsOf<T>(a: T, b: T, op: i32): T {
  return op == AND ? a & b : op == OR ? a | b : a ^ b;
}

@inline
function vectorBits(a: v128, b: v128, op: i32): v128 {
  return op == AND ? v128.and(a, b) : op == OR ? v128.or(a, b) : v128.xor(a, b);
}

/** All elements by a bitwise operation, in the lower bits; those above are rubbish. */
@inline
function foldBits<T>(p: usize, n: u32, op: i32): T {
  const perPair: u32 = 32 / <u32>sizeof<T>();
  let all: T = op == AND ? <T>-1 : 0;
  const pairs = n / perPair;
  if (pairs > 0) {
    n -= pairs * perPair;
    let a = i64x2.splat(op == AND ? -1 : 0);
    let b = a;
    const half = (<usize>pairs) << 4;
    for (const end = p + half; p != end; p += 16) {
      a = vectorBits(a, v128.load(p), op);
      b = vectorBits(b, v128.load(p + half), op);
    }
    p += half;
    a = vectorBits(a, b, op);
    let bits = bitsOf<u64>(i64x2.extract_lane(a, 0), i64x2.extract_lane(a, 1), op);
    if (sizeof<T>() <= 4) bits = bitsOf<u64>(bits, bits >> 32, op);
    if (sizeof<T>() <= 2) bits = bitsOf<u64>(bits, bits >> 16, op);
    if (sizeof<T>() <= 1) bits = bitsOf<u64>(bits, bits >> 8, op);
    all = <T>bits;
  }
  for (const end = p + (<usize>n) * sizeof<T>(); p != end; p += sizeof<T>()) all = bitsOf<T>(all, load<T>(p), op);
  return all;
}

// for T of i8 u8 i16 u16
export function sum_T(p: usize, n: u32): f64 { return sumNarrow<T>(p, n); }
// for T of i32 u32
export function sum_T(p: usize, n: u32): f64 { return sumWords<T>(p, n); }
// for T of f32 f64
export function sum_T(p: usize, n: u32): f64 { return foldDoubles<T>(p, n, true); }
// for T of f32 f64
export function sumFour_T(p: usize, n: u32, totals: usize): f64 { return sumFour<T>(p, n, totals); }
// for T of i64 u64
export function sumLower_T(p: usize, n: u32): f64 { return sumHalves<T>(p, n, false); }
// for T of i64 u64
export function sumUpper_T(p: usize, n: u32): f64 { return sumHalves<T>(p, n, true); }
// for T of i8 u8 i16 u16 i32 u32 f32 f64
export function product_T(p: usize, n: u32): f64 { return foldDoubles<T>(p, n, false); }
// for T of i8 u8 i16 u16 i32 u32
export function min_T(p: usize, n: u32): f64 { return <f64>extremeInteger<T>(p, n, true); }
// for T of i8 u8 i16 u16 i32 u32
export function max_T(p: usize, n: u32): f64 { return <f64>extremeInteger<T>(p, n, false); }
// for T of i64 u64
export function min_T(p: usize, n: u32): T { return extremeInteger<T>(p, n, true); }
// for T of i64 u64
export function max_T(p: usize, n: u32): T { return extremeInteger<T>(p, n, false); }
// for T of f32 f64
export function min_T(p: usize, n: u32): T { return extremeFloat<T>(p, n, true); }
// for T of f32 f64
export function max_T(p: usize, n: u32): T { return extremeFloat<T>(p, n, false); }
// for T of i8 u8 i16 u16 i32 u32
export function and_T(p: usize, n: u32): i32 { return foldBits<T>(p, n, AND); }
// for T of i64 u64
export function and_T(p: usize, n: u32): T { return foldBits<T>(p, n, AND); }
// for T of i8 u8 i16 u16 i32 u32
export function or_T(p: usize, n: u32): i32 { return foldBits<T>(p, n, OR); }
// for T of i64 u64
export function or_T(p: usize, n: u32): T { return foldBits<T>(p, n, OR); }
// for T of i8 u8 i16 u16 i32 u32
export function xor_T(p: usize, n: u32): i32 { return foldBits<T>(p, n, XOR); }
// for T of i64 u64
export function xor_T(p: usize, n: u32): T { return foldBits<T>(p, n, XOR); }
