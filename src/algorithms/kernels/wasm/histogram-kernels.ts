/**
 * AssemblyScript: histograms of equal bins; runs on every thread. The scalar version is ../../group/histogram-bins.ts.
 *
 * Neighbours often fall into one bin, and a counter that was just stored is slow to load. So elements are read as four
 * streams, a quarter of the piece each, and each stream has a counter of its own in every bin. It also has four pages of
 * memory on their way at once, where one stream waits for each: 1e7 uint32 on two threads took 23 ms as one stream and 7
 * as four. The counters of a bin lie side by side, at constant offsets that instructions can hold: 2.2 ms, and 2.5 with four
 * tables. If there are many bins, each has one counter, because neighbours seldom fall into the same bin.
 *
 * There are bins + 2: the last but one for x == max, the last for what is outside. C is what a bin has, v128 or u32.
 */
import { pairAt } from './lanes';

/** Size of a bin: four counters, or one. */
type FOUR = v128;
type ONE = u32;

/** log2 of the bytes that a bin has. */
@inline
function scaleOf<C>(): u32 {
  return sizeof<C>() == 16 ? 4 : 2;
}

@inline
function counterOf<C>(table: usize, bin: u32): usize {
  return table + ((<usize>bin) << scaleOf<C>());
}

/** The counters of four bins. It takes half as many instructions as for four bins one by one. */
@inline
function countersOf<C>(table: v128, bins: v128): v128 {
  return i32x4.add(table, i32x4.shl(bins, scaleOf<C>()));
}

/** One element of each stream, by the address of its bin. */
@inline
function tallyFour<C>(a: usize, b: usize, c: usize, d: usize): void {
  tally(a);
  if (sizeof<C>() == 16) {
    store<u32>(b, load<u32>(b, 4) + 1, 4);
    store<u32>(c, load<u32>(c, 8) + 1, 8);
    store<u32>(d, load<u32>(d, 12) + 1, 12);
  } else {
    tally(b);
    tally(c);
    tally(d);
  }
}

@inline
function tally(p: usize): void {
  store<u32>(p, load<u32>(p) + 1);
}

/** Two elements of each stream. */
@inline
function tallyPairs<C>(a: u64, b: u64, c: u64, d: u64): void {
  tallyFour<C>(<u32>a, <u32>b, <u32>c, <u32>d);
  tallyFour<C>(<u32>(a >> 32), <u32>(b >> 32), <u32>(c >> 32), <u32>(d >> 32));
}

@inline
function half(v: v128, upper: bool): u64 {
  return upper ? i64x2.extract_lane(v, 1) : i64x2.extract_lane(v, 0);
}

/** Counters of two elements: floor((x - min) * bins / range), in doubles, is counted. */
@inline
function countersOfPair<T, C>(
  p: usize, min: v128, max: v128, bins: v128, range: v128, outside: v128, table: v128,
): u64 {
  const x = pairAt<T>(p);
  const bin = f64x2.div(f64x2.mul(f64x2.sub(x, min), bins), range);
  const inside = v128.and(f64x2.ge(x, min), f64x2.le(x, max));
  return half(countersOf<C>(table, i32x4.trunc_sat_f64x2_s_zero(v128.bitselect(bin, outside, inside))), false);
}

@inline
function byDivision<T, C>(p: usize, n: u32, min: f64, max: f64, bins: f64, table: usize): void {
  const minPair = f64x2.splat(min);
  const maxPair = f64x2.splat(max);
  const binsPair = f64x2.splat(bins);
  const rangePair = f64x2.splat(max - min);
  const outsidePair = f64x2.splat(bins + 1);
  const tablePair = i32x4.splat(<i32>table);
  const size = sizeof<T>();
  const quarter = (<usize>(n >> 3)) * 2 * size;
  const quarter2 = 2 * quarter; // V8 would multiply at every turn
  const quarter3 = 3 * quarter;
  for (const end = p + quarter; p != end; p += 2 * size) {
    const a = countersOfPair<T, C>(p, minPair, maxPair, binsPair, rangePair, outsidePair, tablePair);
    const b = countersOfPair<T, C>(p + quarter, minPair, maxPair, binsPair, rangePair, outsidePair, tablePair);
    const c = countersOfPair<T, C>(p + quarter2, minPair, maxPair, binsPair, rangePair, outsidePair, tablePair);
    const d = countersOfPair<T, C>(p + quarter3, minPair, maxPair, binsPair, rangePair, outsidePair, tablePair);
    tallyPairs<C>(a, b, c, d);
  }
  p += quarter3;
  for (const end = p + (<usize>(n & 7)) * size; p != end; p += size) {
    const x = <f64>load<T>(p);
    const bin = ((x - min) * bins) / (max - min);
    tally(counterOf<C>(table, <u32>(x >= min && x <= max ? bin : bins + 1)));
  }
}

@inline
function binOf<T>(p: usize, min: i64, range: u64, factor: u64, shift: u64, outside: u32): u32 {
  const d = <u64>(<i64>load<T>(p) - min);
  return select<u32>(<u32>((d * factor) >> shift), outside, d <= range);
}

/** Counts integers by a product and a shift instead of the quotient, where the caller has found that to be exact. */
@inline
function byProduct<T, C>(
  p: usize, n: u32, min: i64, range: u64, factor: u64, shift: u64, bins: u32, table: usize,
): void {
  const size = sizeof<T>();
  const outside = bins + 1;
  const quarter = (<usize>(n >> 2)) * size;
  const quarter2 = 2 * quarter; // V8 would multiply at every turn
  const quarter3 = 3 * quarter;
  for (const end = p + quarter; p != end; p += size) {
    const a = binOf<T>(p, min, range, factor, shift, outside);
    const b = binOf<T>(p + quarter, min, range, factor, shift, outside);
    const c = binOf<T>(p + quarter2, min, range, factor, shift, outside);
    const d = binOf<T>(p + quarter3, min, range, factor, shift, outside);
    tallyFour<C>(counterOf<C>(table, a), counterOf<C>(table, b), counterOf<C>(table, c), counterOf<C>(table, d));
  }
  p += quarter3;
  for (const end = p + (<usize>(n & 3)) * size; p != end; p += size) {
    tally(counterOf<C>(table, binOf<T>(p, min, range, factor, shift, outside)));
  }
}

/** Counters of four 32-bit elements. */
@inline
function countersOfFour<T, C>(p: usize, least: v128, shift: u32, table: v128): v128 {
  const x = v128.load(p);
  return countersOf<C>(table, i32x4.shr_u(isSigned<T>() ? i32x4.sub(x, least) : x, shift));
}

/** Four 32-bit elements of each stream. */
@inline
function byShiftFours<T, C>(a: usize, b: usize, c: usize, d: usize, least: v128, shift: u32, table: v128): void {
  const binsA = countersOfFour<T, C>(a, least, shift, table);
  const binsB = countersOfFour<T, C>(b, least, shift, table);
  const binsC = countersOfFour<T, C>(c, least, shift, table);
  const binsD = countersOfFour<T, C>(d, least, shift, table);
  tallyPairs<C>(half(binsA, false), half(binsB, false), half(binsC, false), half(binsD, false));
  tallyPairs<C>(half(binsA, true), half(binsB, true), half(binsC, true), half(binsD, true));
}

/** Counts integers by a shift, where bins are 2^shift values wide and no value of the type is outside. */
@inline
function byShift<T, C>(p: usize, n: u32, min: i32, shift: u32, table: usize): void {
  const size = sizeof<T>();
  const step: u32 = sizeof<T>() == 4 ? 8 : 1;
  const each = n / (4 * step);
  const quarter = (<usize>each) * step * size;
  const quarter2 = 2 * quarter; // V8 would multiply at every turn
  const quarter3 = 3 * quarter;
  const least = i32x4.splat(min);
  const tables = i32x4.splat(<i32>table);
  for (const end = p + quarter; p != end; p += step * size) {
    if (sizeof<T>() == 4) {
      // Twice a turn: 2.15 ms, and 2.25 with once.
      byShiftFours<T, C>(p, p + quarter, p + quarter2, p + quarter3, least, shift, tables);
      byShiftFours<T, C>(p + 16, p + quarter + 16, p + quarter2 + 16, p + quarter3 + 16, least, shift, tables);
    } else {
      const a = <u32>(<i32>load<T>(p) - min) >> shift;
      const b = <u32>(<i32>load<T>(p + quarter) - min) >> shift;
      const c = <u32>(<i32>load<T>(p + quarter2) - min) >> shift;
      const d = <u32>(<i32>load<T>(p + quarter3) - min) >> shift;
      tallyFour<C>(counterOf<C>(table, a), counterOf<C>(table, b), counterOf<C>(table, c), counterOf<C>(table, d));
    }
  }
  p += quarter3;
  for (const end = p + (<usize>(n - 4 * each * step)) * size; p != end; p += size) {
    tally(counterOf<C>(table, <u32>(<i32>load<T>(p) - min) >> shift));
  }
}

// for C of FOUR ONE, T of i8 u8 i16 u16 i32 u32 f32 f64
export function histogram_C_T(p: usize, n: u32, min: f64, max: f64, bins: f64, table: usize): void { byDivision<T, C>(p, n, min, max, bins, table); }
// for C of FOUR ONE, T of i8 u8 i16 u16 i32 u32
export function exactHistogram_C_T(p: usize, n: u32, min: f64, range: f64, factor: f64, shift: u32, bins: u32, table: usize): void { byProduct<T, C>(p, n, <i64>min, <u64>range, <u64>factor, shift, bins, table); }
// for C of FOUR ONE, T of i8 u8 i16 u16 i32 u32
export function shiftHistogram_C_T(p: usize, n: u32, min: i32, shift: u32, table: usize): void { byShift<T, C>(p, n, min, shift, table); }
