/**
 * AssemblyScript: merging sorted runs in the order of `TypedArray.prototype.sort`; runs on every thread.
 * Scalar version: sort/kernels/merge-kernel.ts.
 *
 * Elements are compared as integers of that order. The bits of a float are inverted below the sign where the sign is set, and then
 * -Infinity becomes 0. NaNs lie above Infinity then, those with a sign too, because the subtraction wraps around.
 */

@inline
function before<T>(a: T, b: T, isFloats: bool): bool {
  if (!isFloats) return a < b;
  if (sizeof<T>() == 8) return <u64>ordered64(<i64>a) < <u64>ordered64(<i64>b);
  return <u32>ordered32(<i32>a) < <u32>ordered32(<i32>b);
}

@inline
function ordered64(bits: i64): i64 {
  return (bits ^ <i64>(<u64>(bits >> 63) >> 1)) - <i64>0x800fffffffffffff;
}

@inline
function ordered32(bits: i32): i32 {
  return (bits ^ <i32>(<u32>(bits >> 31) >> 1)) - <i32>0x807fffff;
}

/** Runs shorter than this are merged with a check of their ends for each element. */
const SHORT: u32 = 16;

/**
 * Merges from both ends at once, as two chains of loads that do not wait for each other, and without branches on the elements. Half
 * as many steps as the shorter run is long cannot pass the end of either run, so they need no check.
 */
@inline
function merge<T>(a: usize, aElements: u32, b: usize, bElements: u32, out: usize, isFloats: bool): void {
  const size = sizeof<T>();
  let aLast = a + (<usize>aElements - 1) * size;
  let bLast = b + (<usize>bElements - 1) * size;
  let outLast = out + (<usize>aElements + bElements - 1) * size;
  for (;;) {
    const shorter = min<u32>(aElements, bElements);
    if (shorter < SHORT) break;
    for (let steps = shorter >> 1; steps != 0; steps--) {
      const x = load<T>(a);
      const y = load<T>(b);
      const right = before<T>(y, x, isFloats);
      store<T>(out, select<T>(y, x, right));
      b += (<usize>right) * size;
      a += (<usize>!right) * size;
      out += size;
      const u = load<T>(aLast);
      const v = load<T>(bLast);
      const left = before<T>(v, u, isFloats);
      store<T>(outLast, select<T>(u, v, left));
      aLast -= (<usize>left) * size;
      bLast -= (<usize>!left) * size;
      outLast -= size;
    }
    aElements = <u32>((aLast + size - a) / size);
    bElements = <u32>((bLast + size - b) / size);
  }
  while (aElements != 0 && bElements != 0) {
    const x = load<T>(a);
    const y = load<T>(b);
    if (before<T>(y, x, isFloats)) {
      store<T>(out, y);
      b += size;
      bElements--;
    } else {
      store<T>(out, x);
      a += size;
      aElements--;
    }
    out += size;
  }
  memory.copy(out, a, (<usize>aElements) * size);
  memory.copy(out, b, (<usize>bElements) * size);
}

// for T of i32 u32 i64 u64
export function merge_T(a: usize, aElements: u32, b: usize, bElements: u32, out: usize): void { merge<T>(a, aElements, b, bElements, out, false); }
export function mergeF32(a: usize, aElements: u32, b: usize, bElements: u32, out: usize): void { merge<i32>(a, aElements, b, bElements, out, true); }
export function mergeF64(a: usize, aElements: u32, b: usize, bElements: u32, out: usize): void { merge<i64>(a, aElements, b, bElements, out, true); }
