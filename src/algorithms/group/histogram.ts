/**
 * `parallelHistogram`: how many elements fall into each bin; the calls run on the caller, the counting on every thread
 * that computes.
 *
 * Each lane counts in a table of its own. Then the tables are added up, bin by bin. Sums of counts do not depend on which lane
 * counted what. A caller that counts few elements does so in the result itself. A pool that takes over from a caller adds to its
 * counts. Where tables for all lanes would cost more than sharing saves, there is one table, and one thread counts all.
 */
import { type Callee, isShared, type ShippedFunction } from '../../core/engine.js';
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import {
  type AlgorithmOptions,
  check,
  checkArray,
  checkCounted,
  readOptions,
  type SyncOptions,
} from '../call/options.js';
import { beginStaged, copiedBytes } from '../call/staged-call.js';
import { contextOf, type FunctionSpec, functionOf, shipUserFunction } from '../call/user-function.js';
import { refusePromise } from '../returned-promise.js';
import { Cost, costOf } from '../schedule/cost.js';
import { Grain, type ShareOptions, unitByUnit } from '../schedule/grain.js';
import { eachUnit, stagedKind, type WorkStage } from '../schedule/stages.js';
import { shown } from '../shown.js';
import { ADD_BIN_NS, APART_WORDS, BINS_UNIT, HISTOGRAM_NS, MAX_TABLE_WORDS, TABLES_SHARE } from '../tuning.js';
import {
  addTable,
  type Bins,
  canTally,
  countersOf,
  MAX_BINS,
  type Tally,
  tableElements,
  tallyBins,
  tallyBy,
} from './histogram-bins.js';

export interface HistogramOptions<C = unknown> extends AlgorithmOptions<C> {
  /** Number of bins, 1 to 2^30. */
  bins: number;
}

export interface RangeHistogramOptions extends AlgorithmOptions<never> {
  /** Number of bins, 1 to 2^30. */
  bins: number;
  /** The lower end of the first bin, and the upper end of the last, which belongs to it; finite, min < max. */
  min: number | bigint;
  max: number | bigint;
}

/** Says into which bin an element falls: an integer from 0 to bins - 1. */
export type BinOf<T extends TypedArray, C = undefined> = (x: ElementOf<T>, i: number, context: C) => number;

/** Arguments that follow the array: the ends of bins of equal width, or a function that tells the bins. */
export type HistogramRest<T extends TypedArray, C, More = unknown> =
  | [options: RangeHistogramOptions & More]
  | [binOf: BinOf<T, C>, options: HistogramOptions<C> & More];

interface HistogramSpec extends ShareOptions, Partial<FunctionSpec> {
  readonly xs: TypedArray;
  /** Zeros at first, or what a caller has counted. */
  readonly counts: Uint32Array;
  /**
   * Zeros at first; one table after the other, by the lane that counts in it, or a single one. Undefined for a
   * caller that counts in `counts`.
   */
  readonly tables: Uint32Array | undefined;
  readonly inOrder: boolean;
  /** Bins of equal width; undefined if a function tells the bins. */
  readonly equal: Bins | undefined;
}

function refuse(bin: unknown, i: number, bins: number): never {
  refusePromise(bin);
  throw new RangeError(
    `furcate: parallelHistogram: binOf must return an integer from 0 to ${bins - 1} (options.bins - 1), but for the element at index ${i} it is ${shown(bin)}. Use Math.floor or Math.trunc, and clamp what lies outside.`,
  );
}

/** Of bins of equal width. */
const EQUAL_COST = new Cost(HISTOGRAM_NS);

const costOfCounting = (fn: ShippedFunction | undefined): Cost =>
  fn === undefined ? EQUAL_COST : costOf(functionOf({ fn }));

/** Words from a table to the next. Tables of different lanes must not be near each other. */
const strideOf = (bins: number): number => tableElements(bins) + APART_WORDS;

/** For how many lanes there are tables: all, or one. Of an unknown function we assume that it is expensive. */
function tablesFor(length: number, bins: number, nsPerElement: number, lanes: number): number {
  const fits = lanes * strideOf(bins) <= MAX_TABLE_WORDS;
  const pays = nsPerElement === 0 || lanes * tableElements(bins) * ADD_BIN_NS < length * nsPerElement * TABLES_SHARE;
  return fits && pays ? lanes : 1;
}

function openHistogram(spec: HistogramSpec): WorkStage[] {
  const { xs, counts, tables, inOrder, equal, fn, called, context, threshold, parallelism } = spec;
  const { length } = xs;
  const bins = counts.length;
  const stride = strideOf(bins);
  const lanes = tables === undefined ? 0 : Math.ceil(tables.length / stride);
  const tableOf = (lane: number): Uint32Array => tables?.subarray(lane * stride) ?? counts;
  const counters = tables === undefined ? 1 : countersOf(bins);
  const tallyInto = (table: Uint32Array): Tally =>
    fn === undefined
      ? tallyBins(xs, equal as Bins, table, counters)
      : tallyBy(xs, functionOf({ fn }) as never, refuse, contextOf(spec), bins, table, counters);
  const tallies: Tally[] = [];
  const counting: WorkStage = {
    units: length,
    calls: called,
    context,
    grain: new Grain({ cost: costOfCounting(fn), unitElements: 1, units: length, threshold, parallelism }),
    byLane: true,
    isAlone: lanes === 1 && !inOrder,
    run(lo, hi, lane) {
      tallies[lane] ??= tallyInto(tableOf(lane));
      tallies[lane](lo, hi);
      return hi - lo;
    },
  };
  if (tables === undefined) return [counting];
  // Plain reads of what was written in the stage before.
  const addUp = (unit: number): number => {
    const lo = unit * BINS_UNIT;
    for (let lane = 0; lane < lanes; lane++) addTable(tableOf(lane), bins, counts, lo, Math.min(bins, lo + BINS_UNIT));
    return 0;
  };
  return [counting, { units: Math.ceil(bins / BINS_UNIT), grain: unitByUnit(), run: eachUnit(addUp) }];
}

const HISTOGRAM = stagedKind<HistogramSpec>('histogram', openHistogram);

function checkBins(name: string, bins: unknown): asserts bins is number {
  if (Number.isInteger(bins) && (bins as number) >= 1 && (bins as number) <= MAX_BINS) return;
  const Wrong = typeof bins === 'number' ? RangeError : TypeError;
  throw new Wrong(
    `furcate: ${name}: options.bins is how many bins there are, an integer from 1 to 2^30, but it is ${shown(bins)}. Write { bins: 256 }.`,
  );
}

function checkEnds(name: string, bins: number, given: Readonly<Record<string, unknown>>): Bins {
  for (const end of ['min', 'max']) {
    const isNumeric = typeof given[end] === 'number' || typeof given[end] === 'bigint';
    const cure = ' Give both ends, { bins, min, max }, or a function binOf(x).';
    check(isNumeric, name, `options.${end}`, 'a number', given[end], cure);
  }
  const [min, max] = [Number(given.min), Number(given.max)];
  if (min < max && Number.isFinite((max - min) * bins)) return { bins, min, max };
  throw new RangeError(
    `furcate: ${name}: options.min must be less than options.max, and (max - min) * bins finite, but they are ${min} and ${max}.`,
  );
}

function begin(callee: Callee, xs: TypedArray, rest: readonly unknown[]): Start<Uint32Array> {
  const { name } = callee;
  checkArray(name, 'xs', xs);
  checkCounted(name, 'xs has', xs.length);
  const hasRange = typeof rest[0] !== 'function' && rest[1] === undefined;
  const options = readOptions(callee, rest[hasRange ? 0 : 1], hasRange ? ['bins', 'min', 'max'] : ['bins']);
  const { bins } = options.given;
  checkBins(name, bins);
  const equal = hasRange ? checkEnds(name, bins, options.given) : undefined;
  const { fn, context, called }: Partial<FunctionSpec> = hasRange
    ? {}
    : shipUserFunction(callee, 'binOf', rest[0], options);
  const { threshold, parallelism } = options;
  const cost = costOfCounting(fn);
  const shared = isShared(xs);
  const { length } = xs;
  return beginStaged({
    callee,
    options,
    kind: HISTOGRAM,
    elements: length,
    cost,
    copies: copiedBytes(xs),
    spec(arrays): HistogramSpec {
      const { inOrder } = arrays;
      const own = tableElements(bins);
      // The caller counts few elements without a table: clearing it and adding it up would take longer.
      const words = inOrder
        ? length < own
          ? 0
          : own
        : tablesFor(length, bins, cost.nsPerElement, parallelism) * strideOf(bins);
      const elements = arrays.input<TypedArray>(xs);
      const counts = arrays.output({ into: undefined, type: Uint32Array, shared, length: bins, initially: 0 });
      const onHeap = inOrder && equal !== undefined && canTally(xs);
      const tables = words === 0 ? undefined : arrays.scratch(Uint32Array, words, 0, onHeap);
      return { xs: elements, counts, tables, inOrder, equal, fn, context, called, threshold, parallelism };
    },
    result: (arrays, { counts }) => arrays.delivered(counts),
  });
}

const histogram = new Algorithm('parallelHistogram', begin);

/**
 * Counts how many elements fall into each bin.
 *
 * Bins are told by a function, or are of equal width from `min` to `max`. Then x counts if min <= x <= max, in bin
 * `Math.floor(((x - min) * bins) / (max - min))`: max itself counts in the last bin, while NaN and what lies outside are
 * not counted. Bigints are taken as `Number(x)` there. The result is the same at any parallelism
 * and threshold; a bin counts up to 2^32 - 1.
 *
 * @param xs any typed array; not written. Workers read a shared array in place. Another array is copied
 *   first if the work is worth five copies; if it is not, the caller does all of it
 * @param binOf called as `binOf(x, i, context)`, in any order and on any thread, synchronous; returns an integer from 0 to
 *   bins - 1. It travels as source text: what it needs goes through `context`, unless it is a `forkable`
 * @param options `bins`; without `binOf` also `min` and `max`; and `pool`, `threshold` (elements in a leaf), `context`,
 *   `signal`, `onProgress(done, total)` in elements
 * @returns a promise of a new array of `bins` counts, shared if xs is
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; RangeError for a bin that is none,
 *   or what `binOf` threw, that of the lowest failing index; CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: n increments, or calls; time n / parallelism; memory for a table of `bins` counts for each thread, four of up to
 * 2048 bins. If they were more than 64 MiB together, or more expensive than half of the counting, one thread counts all.
 * A call that is known to take less than 300 us runs at once on the caller.
 * @example
 * const digits = await parallelHistogram(bytes, (x) => x % 10, { bins: 10 });
 * const heights = await parallelHistogram(xs, { bins: 50, min: 1.2, max: 2.2 });
 */
export function parallelHistogram<T extends TypedArray, C = undefined>(
  xs: T,
  ...rest: HistogramRest<T, C>
): Promise<Uint32Array> {
  return histogram.promise(xs, rest);
}

/**
 * `parallelHistogram` that returns the counts themselves. Inside a task it forks on the worker that calls it; elsewhere
 * the caller works too, and blocks.
 *
 * @param xs as for `parallelHistogram`
 * @param binOf as for `parallelHistogram`
 * @param options as for `parallelHistogram`
 * @returns what the promise of `parallelHistogram` gives
 * @throws what `parallelHistogram` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelHistogram`.
 * @example
 * const counts = parallelHistogramSync(bytes, (x) => x, { bins: 256 });
 */
export function parallelHistogramSync<T extends TypedArray, C = undefined>(
  xs: T,
  ...rest: HistogramRest<T, C, SyncOptions>
): Uint32Array {
  return histogram.sync(xs, rest);
}
