/**
 * AssemblyScript: blocks of the named scans; runs on every thread. The scalar version is ../../scan/scan-kernel.ts.
 *
 * A kernel reads n elements from src, writes n from dst on (the same address, or apart), starts from `carry` and gives the
 * carry of the next block. Each vector step is a prefix of its own to which the carry is added, so that the chain of
 * dependent additions has one link for four elements.
 */
import { AND, combine, combineLanes, MAX, MIN, OR, pairAt, PRODUCT, SUM, XOR } from './lanes';

@inline
function storeFour<T>(p: usize, low: v128, high: v128): void {
  if (sizeof<T>() == 8) {
    v128.store(p, low);
    v128.store(p, high, 16);
  } else {
    const a = f32x4.demote_f64x2_zero(low);
    const b = f32x4.demote_f64x2_zero(high);
    v128.store(p, i64x2.shuffle(a, b, 0, 2));
  }
}

/** Scans four elements from the carry c, given twice; returns the next one likewise. */
@inline
function scanGroup<T>(src: usize, dst: usize, c: v128, neutral: v128, exclusive: bool, op: i32): v128 {
  const x = pairAt<T>(src);
  const y = pairAt<T>(src + 2 * sizeof<T>());
  const low = combineLanes<f64>(x, i64x2.shuffle(neutral, x, 0, 2), op);
  const high = combineLanes<f64>(i64x2.shuffle(low, low, 1, 1), combineLanes<f64>(y, i64x2.shuffle(neutral, y, 0, 2), op), op);
  const first = combineLanes<f64>(c, low, op);
  const second = combineLanes<f64>(c, high, op);
  if (exclusive) storeFour<T>(dst, i64x2.shuffle(c, first, 1, 2), i64x2.shuffle(first, second, 1, 2));
  else storeFour<T>(dst, first, second);
  return i64x2.shuffle(second, second, 1, 1);
}

@inline
function scanFloats<T>(src: usize, n: u32, dst: usize, carry: f64, exclusive: bool, op: i32): f64 {
  const neutral = f64x2.splat(op == SUM ? -0.0 : op == PRODUCT ? 1.0 : op == MIN ? Infinity : -Infinity);
  const size = sizeof<T>();
  let c = f64x2.splat(carry);
  for (const end = src + (<usize>(n & ~3)) * size; src != end; src += 4 * size, dst += 4 * size) {
    c = scanGroup<T>(src, dst, c, neutral, exclusive, op);
  }
  let last = f64x2.extract_lane(c, 0);
  for (const end = src + (<usize>(n & 3)) * size; src != end; src += size) {
    const next = combine<f64>(last, <f64>load<T>(src), op);
    store<T>(dst, <T>(exclusive ? last : next));
    last = next;
    dst += size;
  }
  return last;
}

/**
 * Sums of four blocks of n elements, a multiple of 4, each from its own carry: side by side, so that no chain of additions
 * waits for itself, and four pages are on their way at once. Gives what the last one ends with.
 */
@inline
function sumFour<T>(src: usize, n: u32, dst: usize, carries: usize, exclusive: bool): f64 {
  const neutral = f64x2.splat(-0.0);
  const block = (<usize>n) * sizeof<T>();
  const block2 = 2 * block; // V8 would multiply at every turn
  const block3 = 3 * block;
  let a = f64x2.splat(load<f64>(carries));
  let b = f64x2.splat(load<f64>(carries, 8));
  let c = f64x2.splat(load<f64>(carries, 16));
  let d = f64x2.splat(load<f64>(carries, 24));
  for (const end = src + block; src != end; src += 4 * sizeof<T>(), dst += 4 * sizeof<T>()) {
    a = scanGroup<T>(src, dst, a, neutral, exclusive, SUM);
    b = scanGroup<T>(src + block, dst + block, b, neutral, exclusive, SUM);
    c = scanGroup<T>(src + block2, dst + block2, c, neutral, exclusive, SUM);
    d = scanGroup<T>(src + block3, dst + block3, d, neutral, exclusive, SUM);
  }
  return f64x2.extract_lane(d, 0);
}

/** A is what is computed with: i32 for elements of up to 32 bits, modulo 2^32. */
@inline
function scanIntegers<T, A>(src: usize, n: u32, dst: usize, carry: A, exclusive: bool, op: i32): A {
  for (const end = src + (<usize>n) * sizeof<T>(); src != end; src += sizeof<T>()) {
    const next = combine<A>(carry, <A>load<T>(src), op);
    store<T>(dst, <T>(exclusive ? carry : next));
    carry = next;
    dst += sizeof<T>();
  }
  return carry;
}

// for T of f32 f64
export function sumFour_T(src: usize, n: u32, dst: usize, carries: usize, exclusive: bool): f64 { return sumFour<T>(src, n, dst, carries, exclusive); }
// for OP of SUM PRODUCT MIN MAX, T of f32 f64
export function OP_T(src: usize, n: u32, dst: usize, carry: f64, exclusive: bool): f64 { return scanFloats<T>(src, n, dst, carry, exclusive, OP); }
// for OP of SUM PRODUCT AND OR XOR, T of i8 u8 i16 u16 i32 u32
export function OP_T(src: usize, n: u32, dst: usize, carry: i32, exclusive: bool): i32 { return scanIntegers<T, i32>(src, n, dst, carry, exclusive, OP); }
// for OP of MIN MAX, T of i8 u8 i16 u16 i32
export function OP_T(src: usize, n: u32, dst: usize, carry: i32, exclusive: bool): i32 { return scanIntegers<T, i32>(src, n, dst, carry, exclusive, OP); }
// for OP of MIN MAX, T of u32
export function OP_T(src: usize, n: u32, dst: usize, carry: f64, exclusive: bool): f64 { return <f64>scanIntegers<T, T>(src, n, dst, <T>carry, exclusive, OP); }
// for OP of SUM PRODUCT MIN MAX AND OR XOR, T of i64 u64
export function OP_T(src: usize, n: u32, dst: usize, carry: T, exclusive: bool): T { return scanIntegers<T, T>(src, n, dst, carry, exclusive, OP); }
