/**
 * AssemblyScript: filling, and counting and collecting the elements within closed bounds; runs on every thread.
 * Twin and meaning: ../bounds.ts.
 */

@inline
function fillVectors<T>(p: usize, n: u32, x: T): void {
  const vector = v128.splat<T>(x);
  const lanes: u32 = 16 / <u32>sizeof<T>();
  const whole = n / lanes;
  for (const end = p + ((<usize>whole) << 4); p != end; p += 16) v128.store(p, vector);
  n -= whole * lanes;
  for (const end = p + (<usize>n) * sizeof<T>(); p != end; p += sizeof<T>()) store<T>(p, x);
}

export function fill8(p: usize, n: u32, x: i32): void { memory.fill(p, <u8>x, n); }
export function fill16(p: usize, n: u32, x: i32): void { fillVectors<i16>(p, n, <i16>x); }
export function fill32(p: usize, n: u32, x: i32): void { fillVectors<i32>(p, n, x); }
export function fill64(p: usize, n: u32, x: i64): void { fillVectors<i64>(p, n, x); }
export function fillF32(p: usize, n: u32, x: f32): void { fillVectors<f32>(p, n, x); }
export function fillF64(p: usize, n: u32, x: f64): void { fillVectors<f64>(p, n, x); }

@inline
function within<T>(x: v128, least: v128, most: v128): v128 {
  return v128.and(v128.ge<T>(x, least), v128.le<T>(x, most));
}

/** Masks are -1 where an element counts, so that subtracting them counts. */
@inline
function count<T>(p: usize, n: u32, least: T, most: T): u32 {
  const leastVector = v128.splat<T>(least);
  const mostVector = v128.splat<T>(most);
  const perPair: u32 = 32 / <u32>sizeof<T>();
  const pairs = n / perPair;
  n -= pairs * perPair;
  let a = i32x4.splat(0);
  let b = a;
  for (const end = p + ((<usize>pairs) << 5); p != end; p += 32) {
    const x = within<T>(v128.load(p), leastVector, mostVector);
    const y = within<T>(v128.load(p, 16), leastVector, mostVector);
    if (sizeof<T>() == 8) {
      a = i64x2.sub(a, x);
      b = i64x2.sub(b, y);
    } else {
      a = i32x4.sub(a, x);
      b = i32x4.sub(b, y);
    }
  }
  let found: u32;
  if (sizeof<T>() == 8) {
    a = i64x2.add(a, b);
    found = <u32>(i64x2.extract_lane(a, 0) + i64x2.extract_lane(a, 1));
  } else {
    a = i32x4.add(a, b);
    found = i32x4.extract_lane(a, 0) + i32x4.extract_lane(a, 1) + i32x4.extract_lane(a, 2) + i32x4.extract_lane(a, 3);
  }
  for (const end = p + (<usize>n) * sizeof<T>(); p != end; p += sizeof<T>()) {
    const x = load<T>(p);
    found += u32(x >= least) & u32(x <= most);
  }
  return found;
}

/**
 * Stores every element at the place of the next one that counts, and moves on if it does: no branch to mispredict. It
 * ends with the last that counts, so it never writes beyond `limit` elements.
 */
@inline
function collect<T>(p: usize, n: u32, least: T, most: T, outside: u32, dst: usize, limit: u32): u32 {
  let found: u32 = 0;
  for (const end = p + (<usize>n) * sizeof<T>(); p != end && found < limit; p += sizeof<T>()) {
    const x = load<T>(p);
    store<T>(dst, x);
    const counts = (u32(x >= least) & u32(x <= most)) ^ outside;
    found += counts;
    dst += (<usize>counts) * sizeof<T>();
  }
  return found;
}

export function countI32(p: usize, n: u32, least: i32, most: i32): u32 { return count<i32>(p, n, least, most); }
export function countU32(p: usize, n: u32, least: u32, most: u32): u32 { return count<u32>(p, n, least, most); }
export function countF32(p: usize, n: u32, least: f32, most: f32): u32 { return count<f32>(p, n, least, most); }
export function countF64(p: usize, n: u32, least: f64, most: f64): u32 { return count<f64>(p, n, least, most); }
export function collectI32(p: usize, n: u32, least: i32, most: i32, outside: u32, dst: usize, limit: u32): u32 { return collect<i32>(p, n, least, most, outside, dst, limit); }
export function collectU32(p: usize, n: u32, least: u32, most: u32, outside: u32, dst: usize, limit: u32): u32 { return collect<u32>(p, n, least, most, outside, dst, limit); }
export function collectF32(p: usize, n: u32, least: f32, most: f32, outside: u32, dst: usize, limit: u32): u32 { return collect<f32>(p, n, least, most, outside, dst, limit); }
export function collectF64(p: usize, n: u32, least: f64, most: f64, outside: u32, dst: usize, limit: u32): u32 { return collect<f64>(p, n, least, most, outside, dst, limit); }
