/**
 * `parallelFill`: one value for all elements, in place; the calls run on the caller, the fills on every thread that
 * computes.
 */
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import { type Form, parallelismOf } from '../../core/pool/call.js';
import { typeOf } from '../call/call-arrays.js';
import { type AlgorithmOptions, checkArray, checkValue, readOptions, type SyncOptions } from '../call/options.js';
import { type PreparedCall, settle, settleSync } from '../call/settle.js';
import { beginStaged, copiedBytes } from '../call/staged-call.js';
import { type Cost, costOf } from '../schedule/cost.js';
import { Grain } from '../schedule/grain.js';
import { type Stage, stagedKind } from '../schedule/stages.js';
import { FILL_NS_PER_BYTE } from '../tuning.js';
import { fillElements } from './fill-elements.js';

interface FillSpec {
  readonly xs: TypedArray;
  readonly value: number | bigint;
  readonly threshold: number;
  readonly parallelism: number;
}

/** Whose cost is that of filling, by bytes of an element. */
const FILLING: readonly object[] = Array.from({ length: 9 }, () => ({}));

const costOfFill = (xs: TypedArray): Cost =>
  costOf(FILLING[xs.BYTES_PER_ELEMENT], FILL_NS_PER_BYTE * xs.BYTES_PER_ELEMENT);

function openFill({ xs, value, threshold, parallelism }: FillSpec): Stage[] {
  return [
    {
      units: xs.length,
      grain: new Grain({ cost: costOfFill(xs), unitElements: 1, units: xs.length, threshold, parallelism }),
      run(lo, hi) {
        fillElements(xs, value, lo, hi);
        return hi - lo;
      },
    },
  ];
}

const FILL = stagedKind<FillSpec>('fill', openFill);

function begin<T extends TypedArray>(name: string, form: Form, xs: T, value: unknown, rest: unknown): PreparedCall<T> {
  checkArray(name, 'xs', xs);
  checkValue(name, 'value', value, xs);
  const options = readOptions(name, form, rest);
  const parallelism = parallelismOf(options.call.pool);
  return beginStaged({
    name,
    options,
    kind: FILL,
    elements: xs.length,
    passes: 1,
    cost: costOfFill(xs),
    copies: copiedBytes(xs),
    spec: (arrays): FillSpec => ({
      xs: arrays.output<TypedArray>({ into: xs, type: typeOf(xs), shared: false, length: xs.length }),
      value,
      threshold: options.threshold,
      parallelism,
    }),
    result: () => xs,
  });
}

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
 * @remarks Cost: n stores; span n / parallelism, as far as memory keeps up; no memory. What is known to take less than 300 us runs
 * at once on the caller.
 * @example
 * await parallelFill(xs, 0);
 */
export function parallelFill<T extends TypedArray>(xs: T, value: ElementOf<T>, options?: AlgorithmOptions): Promise<T> {
  return settle('parallelFill', (name, form) => begin(name, form, xs, value, options));
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
  return settleSync('parallelFillSync', (name, form) => begin(name, form, xs, value, options));
}
