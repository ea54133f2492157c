/**
 * Atomic operations on elements of shared arrays that `Atomics` lacks: minima and maxima, sums of floats, and test-and-set; runs on every thread.
 *
 * All are compare-and-swap loops: read the element, compute what it should be, and write that unless another thread was first. Elements of floats are
 * compared by their bits, through a view of integers on the same bytes, because not all NaNs are one and -0 is not 0.
 */
import { builtin } from '../code/registry.js';
import { show } from '../errors.js';
import { fateOf, freedError, GONE } from '../memory/array-views.js';
import { type AtomicArray, addTo, compareExchangeIn, loadFrom } from '../memory/atomics.js';
import { constructorOfType, type ElementOf, NO_TYPE, type TypedArray, typeOfView } from '../memory/element-types.js';

type Value = number | bigint;

/** An array as atomics take it. */
interface Cells {
  readonly array: TypedArray;
  readonly words: AtomicArray;
  readonly isBig: boolean;
  /** One element of the type, and the bits of it, which are itself for integers. */
  readonly element: { [i: number]: Value };
  readonly bits: { [i: number]: Value };
  readonly buffer: ArrayBufferLike;
}

const single = new Float32Array(1);
const singleBits = new Int32Array(single.buffer);
const double = new Float64Array(1);
const doubleBits = new BigInt64Array(double.buffer);

const known = new WeakMap<object, Cells>();
let latest: Cells | undefined;

/** @throws TypeError for what is no array of such elements, RangeError for an index beyond it */
function cellsOf(name: string, xs: TypedArray, i: number): Cells {
  const cells = latest !== undefined && latest.array === xs ? latest : (known.get(xs) ?? newCells(name, xs));
  latest = cells;
  if (fateOf(xs, cells.buffer) === GONE) throw freedError(`xs of ${name}()`);
  if (Number.isInteger(i) && i >= 0 && i < xs.length) return cells;
  throw new RangeError(
    `furcate: ${name}: i must be an index of xs, an integer from 0 to ${xs.length - 1}; it was ${show(i)}.`,
  );
}

function newCells(name: string, xs: TypedArray): Cells {
  const type: string | undefined =
    ArrayBuffer.isView(xs) && typeOfView(xs) !== NO_TYPE ? xs[Symbol.toStringTag] : undefined;
  if (type === undefined || type === 'Uint8ClampedArray' || type === 'Float16Array' || xs.length === 0)
    throw new TypeError(
      `furcate: ${name}: xs must be a shared array, not empty, of any type but Uint8ClampedArray and Float16Array; it was ${show(xs)}.`,
    );
  const { buffer, byteOffset, length } = xs;
  const own = new (constructorOfType(typeOfView(xs)) as Int32ArrayConstructor)(1);
  const [words, element, bits]: [AtomicArray, Cells['element'], Cells['bits']] =
    type === 'Float32Array'
      ? [new Int32Array(buffer, byteOffset, length), single, singleBits]
      : type === 'Float64Array'
        ? [new BigInt64Array(buffer, byteOffset, length), double, doubleBits]
        : [xs as AtomicArray, own, own];
  const cells = { array: xs, words, element, bits, buffer, isBig: type.startsWith('Big') };
  known.set(xs, cells);
  return cells;
}

function checkValue(name: string, { isBig }: Cells, value: unknown): void {
  const wanted = isBig ? 'bigint' : 'number';
  if (typeof value === wanted) return;
  throw new TypeError(`furcate: ${name}: value must be a ${wanted}, as the elements of xs are; it was ${show(value)}.`);
}

/** Puts `next(element, value)` in the place of an element; returns what that was. */
function change(cells: Cells, i: number, value: Value, next: (old: Value, value: Value) => Value): Value {
  const { words, element, bits } = cells;
  element[0] = value; // as an element holds it: 300 is 44 as a byte
  const kept = element[0];
  for (;;) {
    const before = loadFrom(words, i); // pairs with the exchange of another thread
    bits[0] = before;
    const old = element[0] as Value;
    element[0] = next(old, kept);
    if (Object.is(element[0], old) || compareExchangeIn(words, i, before, bits[0]) === before) return old;
  }
}

// `Math.min` and `Math.max` take no bigints, and of 0 and NaN they know better than `<`.
const lesser = (a: Value, b: Value): Value => (typeof a === 'number' ? Math.min(a, b as number) : a < b ? a : b);
const greater = (a: Value, b: Value): Value => (typeof a === 'number' ? Math.max(a, b as number) : a > b ? a : b);
const sum = (a: Value, b: Value): Value => (a as number) + (b as number);

/**
 * Adds to an element of a shared array, as `Atomics.add` does, also to floats. Sums of floats depend on the order in which threads add: they may differ
 * in the last bits from run to run.
 *
 * @param xs a shared array of any type but `Uint8ClampedArray` and `Float16Array`
 * @param i an index of xs
 * @param value a number, or a bigint for arrays of bigints; counts as what an element of the type would hold
 * @returns what the element was before
 * @throws TypeError for another array or value, or for one that was freed, RangeError for an index that xs does not have
 * @remarks Cost: one atomic operation for integers; for floats 30 to 150 ns, and again when another thread was first. An inline function gets it through
 * its context, `{ context: { xs, atomicAdd } }`, or captures it in a kernel.
 * @example
 * const total = sharedArray(Float64Array, 1);
 * await parallelForRange(1_000, (lo, hi, { total, atomicAdd }) => { atomicAdd(total, 0, (hi - lo) / 4); }, { context: { total, atomicAdd } });
 */
export function atomicAdd<T extends TypedArray>(xs: T, i: number, value: ElementOf<T>): ElementOf<T>;
export function atomicAdd(xs: TypedArray, i: number, value: Value): Value {
  const cells = cellsOf('atomicAdd', xs, i);
  checkValue('atomicAdd', cells, value);
  return cells.words === xs ? addTo(cells.words, i, value) : change(cells, i, value, sum);
}

/**
 * Puts a value in the place of an element of a shared array if it is less, as `Math.min` says.
 *
 * @param xs as for `atomicAdd`
 * @param i as for `atomicAdd`
 * @param value as for `atomicAdd`
 * @returns what the element was before: the value was put there if it is less than that
 * @throws what `atomicAdd` throws
 * @remarks Cost: a read where the element is no greater; otherwise as `atomicAdd`. The final element does not depend on the order of the threads.
 * @example
 * const nearest = sharedArray(Float64Array, [Number.POSITIVE_INFINITY]);
 * await parallelFor(100, (i, { nearest, atomicMin }) => { atomicMin(nearest, 0, Math.abs(i - 41.5)); }, { context: { nearest, atomicMin } });
 */
export function atomicMin<T extends TypedArray>(xs: T, i: number, value: ElementOf<T>): ElementOf<T>;
export function atomicMin(xs: TypedArray, i: number, value: Value): Value {
  const cells = cellsOf('atomicMin', xs, i);
  checkValue('atomicMin', cells, value);
  return change(cells, i, value, lesser);
}

/**
 * As `atomicMin`, for the greater one, as `Math.max` says.
 *
 * @param xs as for `atomicAdd`
 * @param i as for `atomicAdd`
 * @param value as for `atomicAdd`
 * @returns what the element was before
 * @throws what `atomicAdd` throws
 * @remarks Cost: that of `atomicMin`.
 * @example
 * const highest = sharedArray(Int32Array, 1);
 * await parallelFor(100, (i, { highest, atomicMax }) => { atomicMax(highest, 0, (i * 7) % 50); }, { context: { highest, atomicMax } });
 */
export function atomicMax<T extends TypedArray>(xs: T, i: number, value: ElementOf<T>): ElementOf<T>;
export function atomicMax(xs: TypedArray, i: number, value: Value): Value {
  const cells = cellsOf('atomicMax', xs, i);
  checkValue('atomicMax', cells, value);
  return change(cells, i, value, greater);
}

/**
 * Sets a flag in a shared array of integers: of all threads that set it, one finds it unset. A search of a graph claims a vertex so.
 *
 * @param flags a shared array of integers, 0 where the flag is unset
 * @param i an index of flags
 * @returns whether the flag was set already; if not, it is 1 now
 * @throws TypeError for another array, RangeError for an index that it does not have
 * @remarks Cost: a read where it is set, otherwise one atomic operation.
 * @example
 * const seen = sharedArray(Uint8Array, 10);
 * const first = sharedArray(Int32Array, 1);
 * await parallelFor(100, (i, { seen, first, testAndSet }) => {
 *   if (!testAndSet(seen, i % 10)) Atomics.add(first, 0, 1);
 * }, { context: { seen, first, testAndSet } });
 */
export function testAndSet(flags: TypedArray, i: number): boolean {
  const { words, isBig } = cellsOf('testAndSet', flags, i);
  if (words !== flags)
    throw new TypeError(`furcate: testAndSet: flags must be an array of integers; it was ${show(flags)}.`);
  const [unset, set] = isBig ? [0n, 1n] : [0, 1];
  return loadFrom(words, i) !== unset || compareExchangeIn(words, i, unset, set) !== unset;
}

// So that they travel in a context.
for (const operation of [atomicAdd, atomicMin, atomicMax, testAndSet])
  builtin(operation.name, operation as (...args: never[]) => unknown);
