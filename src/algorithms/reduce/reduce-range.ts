/**
 * `parallelReduceRange`: combines what a function makes of each integer of a range; the calls run on the caller, the blocks on every thread
 * that computes. It is the stage of `parallelReduce` without an array.
 */
import { type Callee, shipFunction } from '../../core/engine.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import type { LoopRange } from '../call/loop-options.js';
import { readOperationArguments, shipOp } from '../call/operation.js';
import {
  type AlgorithmOptions,
  type Checked,
  check,
  checkCount,
  checkFunction,
  checkRange,
  readOptions,
  type SyncOptions,
} from '../call/options.js';
import { beginStaged } from '../call/staged-call.js';
import { shippedContext } from '../call/user-function.js';
import { emptyValue, type NamedReduction, readIdentity, shownAs } from './reduce.js';
import { costOfReduce, isCounted, REDUCE, type ReduceSpec } from './reduce-job.js';

interface EachInteger<R, C> {
  /** Called as `map(i, context)` for each integer of the range; what it returns is combined. */
  map: (i: number, context: C) => R;
  mapRange?: undefined;
  parts?: undefined;
}

interface EachPart<R, C> {
  /** Called as `mapRange(lo, hi, context)` for each part, the integers lo to hi - 1 of the range; what it returns is combined. */
  mapRange: (lo: number, hi: number, context: C) => R;
  /** Number of parts of equal size, 32 unless said otherwise. The result may depend on it, never on how many threads take them. */
  parts?: number | undefined;
  map?: undefined;
}

export type ReduceRangeOptions<R, C = unknown> = AlgorithmOptions<C> & (EachInteger<R, C> | EachPart<R, C>);

const OWN_OPTIONS = ['map', 'mapRange', 'parts'];

/** Enough for most machines, and few enough for results that are large. */
const PARTS = 32;

/** The function of the options, and how many parts it takes of n integers: undefined for one that takes integers. */
function readMap(name: string, { map, mapRange, parts }: Checked['given'], n: number): [map: unknown, parts?: number] {
  if (mapRange === undefined) {
    checkFunction(name, 'options.map', map);
    check(
      parts === undefined,
      name,
      'options.parts',
      'left out',
      parts,
      ' It is for options.mapRange(lo, hi, context).',
    );
    return [map];
  }
  checkFunction(name, 'options.mapRange', mapRange);
  check(map === undefined, name, 'options.map', 'left out beside options.mapRange', map);
  return [mapRange, Math.min(n, parts === undefined ? PARTS : checkCount(name, 'options.parts', parts, 1))];
}

/** Checks everything, and begins the call. */
function begin(callee: Callee, range: unknown, op: unknown, rest: readonly unknown[]): Start<unknown> {
  const { name } = callee;
  const [from, end] = checkRange(name, range);
  const { identity, options: given } = readOperationArguments(name, op, rest, OWN_OPTIONS);
  const options = readOptions(callee, given, OWN_OPTIONS);
  const [map, parts] = readMap(name, options.given, end - from);
  const spec: ReduceSpec = {
    xs: undefined,
    from,
    elements: parts ?? end - from,
    inParts: parts === undefined ? undefined : end - from,
    op: shipOp(name, op, undefined, true),
    map: shipFunction(map as () => unknown, parts === undefined ? 'options.map' : 'options.mapRange'),
    identity: identity && readIdentity(name, op, identity[0], undefined),
    context: shippedContext(options),
    threshold: options.threshold,
    parallelism: options.parallelism,
    isCounted: isCounted(),
  };
  return beginStaged<ReduceSpec, unknown>({
    callee,
    options,
    kind: REDUCE,
    elements: spec.elements,
    cost: costOfReduce(spec),
    spec: () => spec,
    result: (_, __, value) => (spec.elements === 0 ? emptyValue(spec) : shownAs(spec, value)),
  });
}

const reduceRange = new Algorithm('parallelReduceRange', begin);

/**
 * Arguments that follow a named operation: options, with an identity before them or without. `R` is no type parameter, as in `MappedRest` of
 * reduce.ts.
 */
type NamedRest<R extends number | bigint, C, More = unknown> =
  | [options: ReduceRangeOptions<R, C> & More]
  | [identity: R | undefined, options: ReduceRangeOptions<R, C> & More];

/**
 * Combines what a function makes of each integer of a range, or of each part of it, to one value: a sum over indices, an experiment that is repeated, or
 * tables that a loop of your own fills. No array of the integers or of the results is made.
 *
 * The order of combination is fixed by the length of the range, as that of `parallelReduce` by the length of an array. So the result is the same bit for
 * bit at any parallelism and threshold.
 *
 * @param range n for 0 to n - 1, or [lo, hi] for lo to hi - 1; safe integers
 * @param op called as `op(a, b, context)`, associative (not necessarily commutative), synchronous. It may change and return `a`; or `'sum'`,
 *   `'product'`, `'min'`, `'max'`, `'and'`, `'or'`, `'xor'`, of numbers or bigints
 * @param identity what the first block begins with, and the result of an empty range; the operation's neutral element. Named operations may leave it
 *   out; of an empty range they then give 0, 1, Infinity, -Infinity, -1, 0, 0
 * @param options `map(i, context)`, whose results are combined, synchronous; or `mapRange(lo, hi, context)`, which gives one result for all integers of a
 *   part, and `parts` (how many there are); and `pool`, `threshold` (integers or parts in a leaf), `context`, `signal`, `onProgress(done, total)` in
 *   integers or parts
 * @returns a promise of the combined value
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `op` or `map` threw, that of the lowest integer
 *   first; CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: n calls of `map`, n combinations; time n / parallelism + log n; memory for a few hundred partial results.
 * A call that is known to take less than 300 us runs at once on the caller.
 * @example
 * const sum = await parallelReduceRange([1, 1_001], 'sum', { map: (i) => 1 / i });
 * const signs = (lo, hi, { xs }) => {
 *   const counts = new Uint32Array(2);
 *   for (let i = lo; i < hi; i++) counts[xs[i] < 0 ? 0 : 1]++;
 *   return counts;
 * };
 * const add = (a, b) => a.map((n, k) => n + b[k]);
 * const counts = await parallelReduceRange(xs.length, add, new Uint32Array(2), { mapRange: signs, context: { xs } });
 */
export function parallelReduceRange<C = undefined>(
  range: LoopRange,
  op: NamedReduction,
  ...rest: NamedRest<number, C>
): Promise<number>;
export function parallelReduceRange<C = undefined>(
  range: LoopRange,
  op: NamedReduction,
  ...rest: NamedRest<bigint, C>
): Promise<bigint>;
export function parallelReduceRange<R, C = undefined>(
  range: LoopRange,
  op: (a: R, b: R, context: C) => R,
  identity: R,
  options: ReduceRangeOptions<R, C>,
): Promise<R>;
export function parallelReduceRange(range: LoopRange, op: unknown, ...rest: unknown[]): Promise<unknown> {
  return reduceRange.promise(range, op, rest);
}

/**
 * `parallelReduceRange` that returns the value itself. Inside a task it forks on the worker that calls it; elsewhere the caller works too, and
 * blocks.
 *
 * @param range as for `parallelReduceRange`
 * @param op as for `parallelReduceRange`
 * @param identity as for `parallelReduceRange`
 * @param options as for `parallelReduceRange`
 * @returns the combined value, the same as that of `parallelReduceRange` bit for bit
 * @throws what `parallelReduceRange` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelReduceRange`.
 * @example
 * const largest = parallelReduceRangeSync(1_000, 'max', { map: (i) => (i * 7919) % 1_000 });
 */
export function parallelReduceRangeSync<C = undefined>(
  range: LoopRange,
  op: NamedReduction,
  ...rest: NamedRest<number, C, SyncOptions>
): number;
export function parallelReduceRangeSync<C = undefined>(
  range: LoopRange,
  op: NamedReduction,
  ...rest: NamedRest<bigint, C, SyncOptions>
): bigint;
export function parallelReduceRangeSync<R, C = undefined>(
  range: LoopRange,
  op: (a: R, b: R, context: C) => R,
  identity: R,
  options: ReduceRangeOptions<R, C> & SyncOptions,
): R;
export function parallelReduceRangeSync(range: LoopRange, op: unknown, ...rest: unknown[]): unknown {
  return reduceRange.sync(range, op, rest);
}
