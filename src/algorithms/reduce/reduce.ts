/**
 * `parallelReduce`: combines the elements of an array to one value; the calls run on the caller, the blocks on every
 * thread that computes.
 */

import { type Callee, shipFunction } from '../../core/engine.js';
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import { plainView } from '../call/call-arrays.js';
import { checkNamedIdentity, type OperationRest, readOperationArguments, shipOp } from '../call/operation.js';
import {
  type AlgorithmOptions,
  checkArrayOrValues,
  checkFunction,
  readOptions,
  type SyncOptions,
} from '../call/options.js';
import {
  isPlainValues,
  type MaybePromise,
  type OnlyPlain,
  type PlainValues,
  type TransferOptions,
  withValues,
} from '../call/plain-values.js';
import { beginStaged, copiedBytes } from '../call/staged-call.js';
import { shippedContext } from '../call/user-function.js';
import { emptyResult } from '../kernels/named-reductions.js';
import { BITWISE, type NamedReduction } from '../kernels/operators.js';
import { type ShippedIdentity, shipIdentity, startOf } from '../schedule/accumulator.js';
import { callsFunctions, costOfReduce, isCounted, REDUCE, type ReduceSpec } from './reduce-job.js';

export type { NamedReduction } from '../kernels/operators.js';

export interface ReduceOptions<T extends TypedArray, R, C = unknown> extends AlgorithmOptions<C> {
  /** Called as `map(x, i, context)` for each element; what it returns is combined instead of the element. */
  map?: ((x: ElementOf<T>, i: number, context: C) => R) | undefined;
}

/** Options of reductions of plain values. */
export interface PlainReduceOptions<T, R, C = unknown> extends TransferOptions<T, C> {
  /** Called as `map(value, i, context)` for each value; what it returns, or the promise of it, is combined instead of the value. */
  map: (value: T, i: number, context: C) => MaybePromise<R>;
}

/** The type of a literal number or bigint. */
type Widened<N extends number | bigint> = N extends number ? number : bigint;

const OWN_OPTIONS = ['map'];

/** Identities of a wrong type would turn up as NaN, a string or an error deep in a worker. */
export function readIdentity(
  name: string,
  op: unknown,
  identity: unknown,
  mustFit: TypedArray | undefined,
): ShippedIdentity {
  if (typeof op === 'string') checkNamedIdentity(name, op, identity, mustFit);
  return shipIdentity(name, identity);
}

/** Checks everything, and begins the call. */
function begin(callee: Callee, xs: TypedArray, op: unknown, rest: readonly unknown[]): Start<unknown> {
  checkArrayOrValues(callee, xs);
  const { name } = callee;
  const { identity, options: given } = readOperationArguments(name, op, rest, OWN_OPTIONS);
  const options = readOptions(callee, given, OWN_OPTIONS);
  const { map } = options.given;
  if (map !== undefined) checkFunction(name, 'options.map', map);
  const view = plainView(xs);
  const spec: ReduceSpec = {
    xs: view,
    from: 0,
    elements: xs.length,
    op: shipOp(name, op, xs, map !== undefined),
    map: map === undefined ? undefined : shipFunction(map, 'options.map'),
    identity: identity && readIdentity(name, op, identity[0], map === undefined ? xs : undefined),
    context: shippedContext(options),
    threshold: options.threshold,
    parallelism: options.parallelism,
    isCounted: isCounted(),
  };
  const copies = copiedBytes(xs);
  return beginStaged<ReduceSpec, unknown>({
    callee,
    options,
    kind: REDUCE,
    elements: xs.length,
    cost: costOfReduce(spec),
    // A named operation costs a copy or two, never five.
    copies: copies > 0 && !callsFunctions(spec) ? Number.POSITIVE_INFINITY : copies,
    spec(arrays) {
      const input = arrays.input(view);
      return input === view ? spec : { ...spec, xs: input };
    },
    result: (_, __, value) => (xs.length === 0 ? emptyValue(spec) : shownAs(spec, value)),
  });
}

const reduce = new Algorithm('parallelReduce', begin);

export function emptyValue({ op, xs, map, identity }: ReduceSpec): unknown {
  return identity === undefined ? emptyResult(op as NamedReduction, xs, map !== undefined) : startOf(identity);
}

/** The value of the tree as the user sees it. */
export function shownAs({ op, xs, map }: ReduceSpec, value: unknown): unknown {
  if (op === 'sum' && typeof value === 'number') return value + 0; // the identity 0: a sum of -0 is 0
  const isUint32 =
    BITWISE.includes(op as NamedReduction) && map === undefined && xs?.[Symbol.toStringTag] === 'Uint32Array';
  return isUint32 ? (value as number) >>> 0 : value;
}

/**
 * As `OperationRest`, with a map, which options must have. `R` is number or bigint, and never a type parameter: the compiler would keep the type of
 * `() => 1` that it has found for the first signature, 1, for all others.
 */
type MappedRest<T extends TypedArray, R extends number | bigint, C, More = unknown> =
  | [options: ReduceOptions<T, R, C> & { map: unknown } & More]
  | [identity: R | undefined, options: ReduceOptions<T, R, C> & { map: unknown } & More];

/**
 * Combines plain values to one: objects, strings, buffers.
 *
 * Blocks of 64 values are folded from left to right, the first from a clone of the identity, every other from its own first value; then blocks
 * of 64 of their results, and so on. So the result is the same at any parallelism and threshold.
 *
 * @param values as for `parallelMap` of plain values
 * @param op called as `op(a, b, context)`, associative (not necessarily commutative), synchronous. It may change and return `a`; or `'sum'`,
 *   `'product'`, `'min'`, `'max'`, `'and'`, `'or'`, `'xor'`, of numbers or bigints
 * @param identity what the first block begins with, and the result of no values: the operation's neutral element. Named operations may leave
 *   it out; of no values they then give 0, 1, Infinity, -Infinity, -1, 0, 0
 * @param options `map(value, i, context)`, whose results are combined instead of the values, and which may return promises; and those of
 *   `parallelMap` of plain values
 * @returns a promise of the combined value
 * @throws what `parallelMap` of plain values rejects with
 * @remarks Cost: n calls of `map`, n combinations, and copies as for `parallelMap` of plain values. One thread runs a block: use
 * `parallelMap` for few values whose `map` takes long.
 * @example
 * const oldest = await parallelReduce(people, (a, b) => Math.max(a, b), 0, { map: ({ age }) => age });
 */
export function parallelReduce<T, C = undefined, X = PlainValues<T>>(
  values: X & PlainValues<T>,
  op: NamedReduction,
  ...rest:
    | [options: PlainReduceOptions<T, number, C>]
    | [identity: number | undefined, options: PlainReduceOptions<T, number, C>]
): Promise<number>;
export function parallelReduce<T, C = undefined, X = PlainValues<T>>(
  values: X & PlainValues<T>,
  op: NamedReduction,
  ...rest:
    | [options: PlainReduceOptions<T, bigint, C>]
    | [identity: bigint | undefined, options: PlainReduceOptions<T, bigint, C>]
): Promise<bigint>;
export function parallelReduce<T extends number | bigint, C = undefined, X = PlainValues<T>>(
  values: X & PlainValues<T>,
  op: NamedReduction,
  ...rest: OperationRest<Widened<T>, TransferOptions<T, C>>
): Promise<Widened<T>>;
export function parallelReduce<T, R, C = undefined, X = PlainValues<T>>(
  values: X & PlainValues<T>,
  op: (a: R, b: R, context: C) => R,
  identity: R,
  options: PlainReduceOptions<T, R, C>,
  ...only: OnlyPlain<X>
): Promise<R>;
export function parallelReduce<T, C = undefined, X = PlainValues<T>>(
  values: X & PlainValues<T>,
  op: (a: T, b: T, context: C) => T,
  identity: T,
  options?: TransferOptions<T, C>,
  ...only: OnlyPlain<X>
): Promise<T>;
/**
 * Combines the elements of an array to one value.
 *
 * The order of combination is fixed by the length, the element type and whether functions are called: blocks of at most
 * 4096 elements are folded from left to right, and a balanced tree combines them. So the result is the same bit for bit
 * at any parallelism and threshold, and a sum of floating-point numbers is more exact than that of a loop, if not the
 * same. (NaN payloads excepted.)
 *
 * @param xs any typed array; not written. Workers read a shared array in place. Another array is copied
 *   first if the work is worth five copies; if it is not, the caller does all of it
 * @param op called as `op(a, b, context)`, associative (not necessarily commutative), synchronous, in any order; again for the
 *   same elements where one of four or sixteen blocks fails or gives no number. It may change and return `a`; or
 *   - `'sum'`, `'product'`: of numbers as doubles, of bigints exact, beyond 64 bits as well
 *   - `'min'`, `'max'`: as `Math.min` and `Math.max`: NaN wins, -0 is less than 0
 *   - `'and'`, `'or'`, `'xor'`: of integers, unsigned for unsigned arrays
 * @param identity what the first block begins with, and the result of an empty array; the operation's neutral element.
 *   Named operations may leave it out; of an empty array they then give 0, 1, Infinity, -Infinity, all ones, 0, 0, or for
 *   bigints the type's own extremes in the place of infinities
 * @param options `map(x, i, context)`, and `pool`, `threshold` (elements in a leaf), `context`, `signal`,
 *   `onProgress(done, total)` in elements
 * @returns a promise of the combined value: a bigint for arrays of bigints without a map
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; what `op` or `map` threw, that
 *   of the lowest index first; CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: n combinations; time n / parallelism + log n; memory for a few hundred partial results and, for an array that is
 * not shared, for its copy.
 * A call that is known to take less than 300 us runs at once on the caller.
 * Source: Blelloch, Anderson and Dhulipala, ParlayLib (2020), for blocks and a tree; the tree here is fixed.
 * @example
 * const total = await parallelReduce(xs, 'sum');
 * const energy = await parallelReduce(xs, (a, b) => a + b, 0, { map: (x) => x * x });
 */
export function parallelReduce<T extends TypedArray, C = undefined>(
  xs: T,
  op: NamedReduction,
  ...rest: MappedRest<T, number, C>
): Promise<number>;
export function parallelReduce<T extends TypedArray, C = undefined>(
  xs: T,
  op: NamedReduction,
  ...rest: MappedRest<T, bigint, C>
): Promise<bigint>;
export function parallelReduce<T extends TypedArray, C = undefined>(
  xs: T,
  op: NamedReduction,
  ...rest: OperationRest<ElementOf<T>, AlgorithmOptions<C>>
): Promise<ElementOf<T>>;
export function parallelReduce<T extends TypedArray, R = ElementOf<T>, C = undefined>(
  xs: T,
  op: (a: R, b: R, context: C) => R,
  identity: R,
  options?: ReduceOptions<T, R, C>,
): Promise<R>;
export function parallelReduce(xs: unknown, op: unknown, ...rest: unknown[]): Promise<unknown> {
  if (isPlainValues(xs)) return withValues(rest, (part) => part.reduceValues(reduce.callees.promise, xs, op, rest));
  return reduce.promise(xs as TypedArray, op, rest);
}

/**
 * `parallelReduce` that returns the value itself. Inside a task it forks on the worker that calls it; elsewhere the
 * caller works too, and blocks.
 *
 * @param xs as for `parallelReduce`
 * @param op as for `parallelReduce`
 * @param identity as for `parallelReduce`
 * @param options as for `parallelReduce`
 * @returns the combined value, the same as that of `parallelReduce` bit for bit
 * @throws what `parallelReduce` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelReduce`.
 * @example
 * const largest = parallelReduceSync(xs, 'max');
 */
export function parallelReduceSync<T extends TypedArray, C = undefined>(
  xs: T,
  op: NamedReduction,
  ...rest: MappedRest<T, number, C, SyncOptions>
): number;
export function parallelReduceSync<T extends TypedArray, C = undefined>(
  xs: T,
  op: NamedReduction,
  ...rest: MappedRest<T, bigint, C, SyncOptions>
): bigint;
export function parallelReduceSync<T extends TypedArray, C = undefined>(
  xs: T,
  op: NamedReduction,
  ...rest: OperationRest<ElementOf<T>, AlgorithmOptions<C> & SyncOptions>
): ElementOf<T>;
export function parallelReduceSync<T extends TypedArray, R = ElementOf<T>, C = undefined>(
  xs: T,
  op: (a: R, b: R, context: C) => R,
  identity: R,
  options?: ReduceOptions<T, R, C> & SyncOptions,
): R;
export function parallelReduceSync(xs: TypedArray, op: unknown, ...rest: unknown[]): unknown {
  return reduce.sync(xs, op, rest);
}
