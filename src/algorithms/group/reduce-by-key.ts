/**
 * `parallelReduceByKey`: combines the values that have the same key; the calls run on the caller, the grouping on every
 * thread that computes.
 */
import type { Callee } from '../../core/engine.js';
import type { BigIntArray, ElementOf, TypedArray } from '../../core/memory/element-types.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import { typeOf } from '../call/call-arrays.js';
import { shipOp } from '../call/operation.js';
import {
  type AlgorithmOptions,
  checkArray,
  checkCounted,
  checkValue,
  isPlainObject,
  readOptions,
  type SyncOptions,
} from '../call/options.js';
import { shippedContext } from '../call/user-function.js';
import type { NamedReduction } from '../kernels/operators.js';
import { beginGrouping } from './group-job.js';

/** Array in which combined values are kept: numbers as doubles, bigints in 64 bits. */
export type CombinedArray<V extends TypedArray> = V extends BigIntArray ? V : Float64Array;

/** Result of `parallelReduceByKey`: `values[i]` is what the values of `keys[i]` were combined to. */
export interface ReducedByKey<K extends TypedArray, V extends TypedArray> {
  readonly keys: K;
  readonly values: CombinedArray<V>;
}

function begin(
  callee: Callee,
  keys: TypedArray,
  values: TypedArray,
  op: unknown,
  [third, fourth]: readonly unknown[],
): Start<ReducedByKey<TypedArray, TypedArray>> {
  const { name } = callee;
  checkArray(name, 'keys', keys);
  checkCounted(name, 'keys has', keys.length);
  checkArray(name, 'values', values);
  if (values.length !== keys.length)
    throw new RangeError(
      `furcate: ${name}: values must have an element for each key, but there are ${values.length} values and ${keys.length} keys. Pass arrays of one length, or subarrays.`,
    );
  const shipped = shipOp(name, op, values, false, 'values');
  const hasIdentity = third !== undefined && !(isPlainObject(third) && fourth === undefined);
  if (hasIdentity) checkValue(name, 'identity', third, values);
  const options = readOptions(callee, hasIdentity ? fourth : (third ?? fourth));
  // As results are kept: minima would depend on the threads if it wrapped later.
  const kept = typeof third === 'bigint' ? new (typeOf(values as BigInt64Array))(1).fill(third)[0] : third;
  const identity = hasIdentity ? ([kept] as const) : undefined;
  const fold = { values, op: shipped, identity, context: shippedContext(options) };
  return beginGrouping(callee, options, keys, fold, (distinct, combined) => ({
    keys: distinct,
    values: combined as CombinedArray<TypedArray>,
  }));
}

const reduceByKey = new Algorithm('parallelReduceByKey', begin);

/**
 * Combines the values that have the same key, for every key.
 *
 * Keys come in the order in which they first occur, and are compared as by `Map`: -0 equals 0, and 0 is what the result
 * has, NaN equals NaN. The values of a key are combined in the order of the input, in blocks that depend on the length
 * alone: each is folded from left to right, and so are the results of the blocks. So the result is the same bit for bit at
 * any parallelism and threshold, and up to 2,048 elements that of a plain loop. (NaN payloads excepted.)
 *
 * @param keys any typed array; not written
 * @param values any typed array of the same length; not written. Of arrays that are not shared a snapshot is taken at the
 *   call, if the work is worth five copies, or else the caller does it all
 * @param op called as `op(a, b, context)`, associative (not necessarily commutative), synchronous, returning a number, or a
 *   bigint where the values are; or 'sum', 'product', 'min', 'max', 'and', 'or', 'xor', as for `parallelReduce`
 * @param identity what each key begins with, a bigint modulo 2^64; without one, its first value
 * @param options `pool`, `threshold` (elements in a leaf), `context`, `signal`, `onProgress(done, total)` in elements
 * @returns a promise of `{ keys, values }`: new arrays, shared if keys or values are. `keys` has the type of keys. `values`
 *   is a Float64Array, so that sums of small integers do not wrap, or of the type of values where they are bigints, which wrap
 *   at 64 bits
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything starts; TypeError for a result of `op` of
 *   another type; what `op` threw, that of the first block first; CancellationError (`AbortError`) once `signal` is aborted
 * @remarks Cost: n looks into tables that fit the cache and n calls of `op`, twice as many looks where nearly all keys are distinct;
 * time n / parallelism, and with few distinct keys one look and call for each of them in each block of 2,048 to 65,536
 * elements; memory of twice the size of keys and values, 8 bytes an element, and, for arrays that are not shared, copies.
 * A call that is known to take less than 300 us runs at once on the caller.
 * @example
 * const { keys, values } = await parallelReduceByKey(customerOfOrder, priceOfOrder, 'sum');
 */
export function parallelReduceByKey<K extends TypedArray, V extends TypedArray, C = undefined>(
  keys: K,
  values: V,
  op: NamedReduction | ((a: ElementOf<V>, b: ElementOf<V>, context: C) => ElementOf<V>),
  ...rest: ByKeyRest<V, C>
): Promise<ReducedByKey<K, V>> {
  return reduceByKey.promise(keys, values, op, rest) as Promise<ReducedByKey<K, V>>;
}

/** Arguments that may follow the operation: an identity, options, both or neither. */
export type ByKeyRest<V extends TypedArray, C, More = unknown> =
  | [options?: (AlgorithmOptions<C> & More) | undefined]
  | [identity: ElementOf<V> | undefined, options?: (AlgorithmOptions<C> & More) | undefined];

/**
 * `parallelReduceByKey` that returns the arrays themselves. Inside a task it forks on the worker that calls it; elsewhere
 * the caller works too, and blocks.
 *
 * @param keys as for `parallelReduceByKey`
 * @param values as for `parallelReduceByKey`
 * @param op as for `parallelReduceByKey`
 * @param rest as for `parallelReduceByKey`: identity and options
 * @returns what the promise of `parallelReduceByKey` gives
 * @throws what `parallelReduceByKey` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelReduceByKey`.
 * @example
 * const { keys, values } = parallelReduceByKeySync(days, temperatures, 'max');
 */
export function parallelReduceByKeySync<K extends TypedArray, V extends TypedArray, C = undefined>(
  keys: K,
  values: V,
  op: NamedReduction | ((a: ElementOf<V>, b: ElementOf<V>, context: C) => ElementOf<V>),
  ...rest: ByKeyRest<V, C, SyncOptions>
): ReducedByKey<K, V> {
  return reduceByKey.sync(keys, values, op, rest) as ReducedByKey<K, V>;
}
