/**
 * AssemblyScript: copying, filling and finding, and counting the elements within closed bounds; runs on every thread.
 * What bounds mean is in ../comparison-kernel.ts.
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


@inline
function within<T>(x: v128, least: v128, most: v128): v128 {
  return v128.and(v128.ge<T>(x, least), v128.le<T>(x, most));
}

@inline
function subtractLanes<T>(a: v128, b: v128): v128 {
  return sizeof<T>() == 8 ? i64x2.sub(a, b) : i32x4.sub(a, b);
}

@inline
function addLanes<T>(a: v128, b: v128): v128 {
  return sizeof<T>() == 8 ? i64x2.add(a, b) : i32x4.add(a, b);
}

/**
 * A mask is -1 where an element counts, so subtracting masks counts elements. Four streams are read, so that four pages of memory
 * are on their way at once.
 */
@inline
function count<T>(p: usize, n: u32, least: T, most: T): u32 {
  const leastVector = v128.splat<T>(least);
  const mostVector = v128.splat<T>(most);
  const lanes: u32 = 16 / <u32>sizeof<T>();
  const each = n / (4 * lanes);
  const quarter = (<usize>each) << 4;
  const quarter2 = 2 * quarter; // V8 would multiply at every turn
  const quarter3 = 3 * quarter;
  n -= 4 * lanes * each;
  let a = i32x4.splat(0);
  let b = a;
  let c = a;
  let d = a;
  for (const end = p + quarter; p != end; p += 16) {
    a = subtractLanes<T>(a, within<T>(v128.load(p), leastVector, mostVector));
    b = subtractLanes<T>(b, within<T>(v128.load(p + quarter), leastVector, mostVector));
    c = subtractLanes<T>(c, within<T>(v128.load(p + quarter2), leastVector, mostVector));
    d = subtractLanes<T>(d, within<T>(v128.load(p + quarter3), leastVector, mostVector));
  }
  p += quarter3;
  a = addLanes<T>(addLanes<T>(a, b), addLanes<T>(c, d));
  let found: u32;
  if (sizeof<T>() == 8) {
    found = <u32>(i64x2.extract_lane(a, 0) + i64x2.extract_lane(a, 1));
  } else {
    found = i32x4.extract_lane(a, 0) + i32x4.extract_lane(a, 1) + i32x4.extract_lane(a, 2) + i32x4.extract_lane(a, 3);
  }
  for (const end = p + (<usize>n) * sizeof<T>(); p != end; p += sizeof<T>()) {
    const x = load<T>(p);
    found += u32(x >= least) & u32(x <= most);
  }
  return found;
}

/** The place of the first element that equals x, n if none does. */
@inline
function find<T>(p: usize, n: u32, x: T): u32 {
  const vector = v128.splat<T>(x);
  const lanes: u32 = 16 / <u32>sizeof<T>();
  let at: u32 = 0;
  for (const end = (n / (2 * lanes)) * (2 * lanes); at != end; at += 2 * lanes) {
    const a = v128.eq<T>(v128.load(p), vector);
    const b = v128.eq<T>(v128.load(p, 16), vector);
    if (v128.any_true(v128.or(a, b))) break;
    p += 32;
  }
  for (; at != n; at++, p += sizeof<T>()) if (load<T>(p) == x) break;
  return at;
}

export function copy(dst: usize, src: usize, bytes: u32): void { memory.copy(dst, src, bytes); }
// for T of i8 u8
export function fill_T(p: usize, n: u32, x: i32): void { memory.fill(p, <u8>x, n); }
// for T of i16 u16 i32 u32
export function fill_T(p: usize, n: u32, x: i32): void { fillVectors<T>(p, n, <T>x); }
// for T of i64 u64 f32 f64
export function fill_T(p: usize, n: u32, x: T): void { fillVectors<T>(p, n, x); }
// for T of i8 u8 i16 u16 i32 u32
export function find_T(p: usize, n: u32, x: i32): u32 { return find<T>(p, n, <T>x); }
// for T of i64 u64 f32 f64
export function find_T(p: usize, n: u32, x: T): u32 { return find<T>(p, n, x); }
// for T of i32 u32 f32 f64
export function count_T(p: usize, n: u32, least: T, most: T): u32 { return count<T>(p, n, least, most); }
