/**
 * AssemblyScript: histograms of equal bins; runs on every thread. Twin and meaning: ../histogram-bins.ts.
 *
 * Neighbours often fall into one bin, and a counter that was just stored is slow to load. So elements are read as four
 * streams, a quarter of the piece each, and each stream counts in a table of its own. It also has four pages of memory on
 * their way at once, where one stream waits for each: 1e7 uint32 on two threads took 23 ms as one stream and 7 as four.
 * A table has bins + 2 counters: the last but one for x == max, the last for what is outside. `stride` is the bytes from
 * one table to the next, 0 where one table is enough for all.
 */
import { pairAt } from './lanes';

@inline
function tally(table: usize, bin: u32): void {
  const p = table + ((<usize>bin) << 2);
  store<u32>(p, load<u32>(p) + 1);
}

/** One element of each stream. */
@inline
function tallyFour(a: u32, b: u32, c: u32, d: u32, first: usize, second: usize, third: usize, fourth: usize): void {
  tally(first, a);
  tally(second, b);
  tally(third, c);
  tally(fourth, d);
}

/** Two elements of each stream. */
@inline
function tallyPairs(a: u64, b: u64, c: u64, d: u64, first: usize, second: usize, third: usize, fourth: usize): void {
  tallyFour(<u32>a, <u32>b, <u32>c, <u32>d, first, second, third, fourth);
  tallyFour(<u32>(a >> 32), <u32>(b >> 32), <u32>(c >> 32), <u32>(d >> 32), first, second, third, fourth);
}

@inline
function half(v: v128, upper: bool): u64 {
  return upper ? i64x2.extract_lane(v, 1) : i64x2.extract_lane(v, 0);
}

/** floor((x - min) * bins / range) in doubles. */
@inline
function binsOfPair<T>(p: usize, min: v128, max: v128, bins: v128, range: v128, outside: v128): u64 {
  const x = pairAt<T>(p);
  const bin = f64x2.div(f64x2.mul(f64x2.sub(x, min), bins), range);
  const inside = v128.and(f64x2.ge(x, min), f64x2.le(x, max));
  return half(i32x4.trunc_sat_f64x2_s_zero(v128.bitselect(bin, outside, inside)), false);
}

@inline
function byDivision<T>(p: usize, n: u32, min: f64, max: f64, bins: f64, tables: usize, stride: usize): void {
  const minPair = f64x2.splat(min);
  const maxPair = f64x2.splat(max);
  const binsPair = f64x2.splat(bins);
  const rangePair = f64x2.splat(max - min);
  const outsidePair = f64x2.splat(bins + 1);
  const size = sizeof<T>();
  const second = tables + stride;
  const third = second + stride;
  const fourth = third + stride;
  const quarter = (<usize>(n >> 3)) * 2 * size;
  const quarter2 = 2 * quarter; // V8 would multiply at every turn
  const quarter3 = 3 * quarter;
  for (const end = p + quarter; p != end; p += 2 * size) {
    const a = binsOfPair<T>(p, minPair, maxPair, binsPair, rangePair, outsidePair);
    const b = binsOfPair<T>(p + quarter, minPair, maxPair, binsPair, rangePair, outsidePair);
    const c = binsOfPair<T>(p + quarter2, minPair, maxPair, binsPair, rangePair, outsidePair);
    const d = binsOfPair<T>(p + quarter3, minPair, maxPair, binsPair, rangePair, outsidePair);
    tallyPairs(a, b, c, d, tables, second, third, fourth);
  }
  p += quarter3;
  for (const end = p + (<usize>(n & 7)) * size; p != end; p += size) {
    const x = <f64>load<T>(p);
    const bin = ((x - min) * bins) / (max - min);
    tally(tables, <u32>(x >= min && x <= max ? bin : bins + 1));
  }
}

@inline
function binOf<T>(p: usize, min: i64, range: u64, factor: u64, shift: u64, outside: u32): u32 {
  const d = <u64>(<i64>load<T>(p) - min);
  return select<u32>(<u32>((d * factor) >> shift), outside, d <= range);
}

/** The same for integers: a product and a shift in place of the quotient, where the caller has found that to be exact. */
@inline
function byProduct<T>(
  p: usize, n: u32, min: i64, range: u64, factor: u64, shift: u64, bins: u32, tables: usize, stride: usize,
): void {
  const size = sizeof<T>();
  const second = tables + stride;
  const third = second + stride;
  const fourth = third + stride;
  const outside = bins + 1;
  const quarter = (<usize>(n >> 2)) * size;
  const quarter2 = 2 * quarter; // V8 would multiply at every turn
  const quarter3 = 3 * quarter;
  for (const end = p + quarter; p != end; p += size) {
    const a = binOf<T>(p, min, range, factor, shift, outside);
    const b = binOf<T>(p + quarter, min, range, factor, shift, outside);
    const c = binOf<T>(p + quarter2, min, range, factor, shift, outside);
    const d = binOf<T>(p + quarter3, min, range, factor, shift, outside);
    tallyFour(a, b, c, d, tables, second, third, fourth);
  }
  p += quarter3;
  for (const end = p + (<usize>(n & 3)) * size; p != end; p += size) {
    tally(tables, binOf<T>(p, min, range, factor, shift, outside));
  }
}

/** Bins of four 32-bit elements. */
@inline
function binsOfFour(p: usize, least: v128, shift: u32): v128 {
  return i32x4.shr_u(i32x4.sub(v128.load(p), least), shift);
}

/** The same where bins are 2^shift values wide and no value of the type is outside. */
@inline
function byShift<T>(p: usize, n: u32, min: i32, shift: u32, tables: usize, stride: usize): void {
  const size = sizeof<T>();
  const second = tables + stride;
  const third = second + stride;
  const fourth = third + stride;
  const step: u32 = sizeof<T>() == 4 ? 4 : 1;
  const each = n / (4 * step);
  const quarter = (<usize>each) * step * size;
  const quarter2 = 2 * quarter; // V8 would multiply at every turn
  const quarter3 = 3 * quarter;
  const least = i32x4.splat(min);
  for (const end = p + quarter; p != end; p += step * size) {
    if (sizeof<T>() == 4) {
      const a = binsOfFour(p, least, shift);
      const b = binsOfFour(p + quarter, least, shift);
      const c = binsOfFour(p + quarter2, least, shift);
      const d = binsOfFour(p + quarter3, least, shift);
      tallyPairs(half(a, false), half(b, false), half(c, false), half(d, false), tables, second, third, fourth);
      tallyPairs(half(a, true), half(b, true), half(c, true), half(d, true), tables, second, third, fourth);
    } else {
      const a = <u32>(<i32>load<T>(p) - min) >> shift;
      const b = <u32>(<i32>load<T>(p + quarter) - min) >> shift;
      const c = <u32>(<i32>load<T>(p + quarter2) - min) >> shift;
      const d = <u32>(<i32>load<T>(p + quarter3) - min) >> shift;
      tallyFour(a, b, c, d, tables, second, third, fourth);
    }
  }
  p += quarter3;
  for (const end = p + (<usize>(n - 4 * each * step)) * size; p != end; p += size) {
    tally(tables, <u32>(<i32>load<T>(p) - min) >> shift);
  }
}

export function histogramI32(p: usize, n: u32, min: f64, max: f64, bins: f64, tables: usize, stride: u32): void { byDivision<i32>(p, n, min, max, bins, tables, stride); }
export function histogramU32(p: usize, n: u32, min: f64, max: f64, bins: f64, tables: usize, stride: u32): void { byDivision<u32>(p, n, min, max, bins, tables, stride); }
export function histogramF32(p: usize, n: u32, min: f64, max: f64, bins: f64, tables: usize, stride: u32): void { byDivision<f32>(p, n, min, max, bins, tables, stride); }
export function histogramF64(p: usize, n: u32, min: f64, max: f64, bins: f64, tables: usize, stride: u32): void { byDivision<f64>(p, n, min, max, bins, tables, stride); }
export function histogramI16(p: usize, n: u32, min: f64, max: f64, bins: f64, tables: usize, stride: u32): void { byDivision<i16>(p, n, min, max, bins, tables, stride); }
export function histogramU16(p: usize, n: u32, min: f64, max: f64, bins: f64, tables: usize, stride: u32): void { byDivision<u16>(p, n, min, max, bins, tables, stride); }
export function histogramI8(p: usize, n: u32, min: f64, max: f64, bins: f64, tables: usize, stride: u32): void { byDivision<i8>(p, n, min, max, bins, tables, stride); }
export function histogramU8(p: usize, n: u32, min: f64, max: f64, bins: f64, tables: usize, stride: u32): void { byDivision<u8>(p, n, min, max, bins, tables, stride); }
export function exactHistogramI8(p: usize, n: u32, min: f64, range: f64, factor: f64, shift: u32, bins: u32, tables: usize, stride: u32): void { byProduct<i8>(p, n, <i64>min, <u64>range, <u64>factor, shift, bins, tables, stride); }
export function exactHistogramU8(p: usize, n: u32, min: f64, range: f64, factor: f64, shift: u32, bins: u32, tables: usize, stride: u32): void { byProduct<u8>(p, n, <i64>min, <u64>range, <u64>factor, shift, bins, tables, stride); }
export function exactHistogramI16(p: usize, n: u32, min: f64, range: f64, factor: f64, shift: u32, bins: u32, tables: usize, stride: u32): void { byProduct<i16>(p, n, <i64>min, <u64>range, <u64>factor, shift, bins, tables, stride); }
export function exactHistogramU16(p: usize, n: u32, min: f64, range: f64, factor: f64, shift: u32, bins: u32, tables: usize, stride: u32): void { byProduct<u16>(p, n, <i64>min, <u64>range, <u64>factor, shift, bins, tables, stride); }
export function exactHistogramI32(p: usize, n: u32, min: f64, range: f64, factor: f64, shift: u32, bins: u32, tables: usize, stride: u32): void { byProduct<i32>(p, n, <i64>min, <u64>range, <u64>factor, shift, bins, tables, stride); }
export function exactHistogramU32(p: usize, n: u32, min: f64, range: f64, factor: f64, shift: u32, bins: u32, tables: usize, stride: u32): void { byProduct<u32>(p, n, <i64>min, <u64>range, <u64>factor, shift, bins, tables, stride); }
export function shiftHistogramI8(p: usize, n: u32, min: i32, shift: u32, tables: usize, stride: u32): void { byShift<i8>(p, n, min, shift, tables, stride); }
export function shiftHistogramU8(p: usize, n: u32, min: i32, shift: u32, tables: usize, stride: u32): void { byShift<u8>(p, n, min, shift, tables, stride); }
export function shiftHistogramI16(p: usize, n: u32, min: i32, shift: u32, tables: usize, stride: u32): void { byShift<i16>(p, n, min, shift, tables, stride); }
export function shiftHistogramU16(p: usize, n: u32, min: i32, shift: u32, tables: usize, stride: u32): void { byShift<u16>(p, n, min, shift, tables, stride); }
export function shiftHistogramI32(p: usize, n: u32, min: i32, shift: u32, tables: usize, stride: u32): void { byShift<i32>(p, n, min, shift, tables, stride); }
export function shiftHistogramU32(p: usize, n: u32, min: i32, shift: u32, tables: usize, stride: u32): void { byShift<u32>(p, n, min, shift, tables, stride); }
