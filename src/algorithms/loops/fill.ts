/**
 * `parallelFill`: one value for all elements, in place; the calls run on the caller, the fills on every thread that
 * computes.
 */
import type { Callee } from '../../core/engine.js';
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import { Algorithm, type Start } from '../call/algorithm.js';
import { typeOf } from '../call/call-arrays.js';
import { beginElements, elementKind } from '../call/element-call.js';
import { type AlgorithmOptions, checkArray, checkValue, readOptions, type SyncOptions } from '../call/options.js';
import { copiedBytes } from '../call/staged-call.js';
import { Cost } from '../schedule/cost.js';
import { FILL_NS_PER_BYTE } from '../tuning.js';
import { fillElements } from './fill-elements.js';

interface FillWork {
  readonly xs: TypedArray;
  readonly value: number | bigint;
}

/** By the bytes of an element. */
const costs: Cost[] = [];

const costOfFill = ({ BYTES_PER_ELEMENT: bytes }: TypedArray): Cost =>
  (costs[bytes] ??= new Cost(FILL_NS_PER_BYTE * bytes));

const FILL = elementKind<FillWork>('fill', {
  body({ xs, value }) {
    return (lo, hi) => fillElements(xs, value, lo, hi);
  },
  cost: ({ xs }) => costOfFill(xs),
});

function begin(callee: Callee, xs: TypedArray, value: unknown, given: unknown): Start<TypedArray> {
  const { name } = callee;
  checkArray(name, 'xs', xs);
  checkValue(name, 'value', value, xs);
  return beginElements<FillWork, TypedArray>({
    callee,
    options: readOptions(callee, given),
    kind: FILL,
    elements: xs.length,
    cost: costOfFill(xs),
    copies: copiedBytes(xs),
    work: (arrays) => ({
      xs: arrays.output<TypedArray>({ into: xs, type: typeOf(xs), shared: false, length: xs.length }),
      value,
    }),
    result: () => xs,
  });
}

const fill = new Algorithm('parallelFill', begin);

/**
 * Gives all elements of an array one value, as `TypedArray.prototype.fill` does.
 *
 * @param xs any typed array, written in place. A shared one belongs to the call until the promise settles; one that is
 *   not shared is filled by the caller, since copying it would take longer
 * @param value a number, or a bigint for arrays of bigints; stored as `fill` stores it (300 in a `Uint8Array` is 44)
 * @param options `pool`, `threshold` (elements in a leaf), `signal`, `onProgress(done, total)` in elements
 * @returns a promise of xs
 * @throws (rejects with) TypeError, RangeError for bad arguments, before anything is written; CancellationError
 *   (`AbortError`) once `signal` is aborted: a shared xs is half filled then
 * @remarks Cost: n stores; time n / parallelism, as far as memory keeps up; no memory.
 * A call that is known to take less than 300 us runs at once on the caller.
 * @example
 * await parallelFill(xs, 0);
 */
export function parallelFill<T extends TypedArray>(xs: T, value: ElementOf<T>, options?: AlgorithmOptions): Promise<T> {
  return fill.promise(xs, value, options) as Promise<T>;
}

/**
 * `parallelFill` that returns the array itself. Inside a task it forks on the worker that calls it; elsewhere the caller
 * works too, and blocks.
 *
 * @param xs as for `parallelFill`
 * @param value as for `parallelFill`
 * @param options as for `parallelFill`
 * @returns xs
 * @throws what `parallelFill` rejects with; Error on a browser's main thread, which must not block
 * @remarks Cost: that of `parallelFill`.
 * @example
 * parallelFillSync(xs, 0);
 */
export function parallelFillSync<T extends TypedArray>(
  xs: T,
  value: ElementOf<T>,
  options?: AlgorithmOptions & SyncOptions,
): T {
  return fill.sync(xs, value, options) as T;
}
