/** `checkReducer`: whether a function may combine values in parallel; for tests, on the thread that calls. */
import { disown, isPromise } from '../../core/engine.js';
import { isRevoked, show } from '../../core/errors.js';
import { numberOf, readOptions } from '../../core/options.js';

/** Options of `checkReducer`. */
export interface CheckReducerOptions<T> {
  /** Combined with any value, it must give that value. Without it, this is not checked. */
  readonly identity?: T | undefined;
  /**
   * By how much numbers may differ, as a part of the greater one: sums of floating-point numbers are rounded in each order. Default 1e-9; 0 for
   * exact equality.
   */
  readonly tolerance?: number | undefined;
}

/** Most triples that are tried; of more, every so many. */
const MOST_TRIPLES = 50_000;
const TOLERANCE = 1e-9;

const CALL = 'checkReducer(op, samples, options)';
const OPTIONS = {
  identity: (value: unknown): unknown => value,
  tolerance: numberOf((value) => value >= 0 && value < 1, 'from 0 to less than 1'),
};

/** A copy, because `op` may change what it is given. */
const copy = <T>(value: T): T => (typeof value === 'object' && value !== null ? structuredClone(value) : value);

/** Content of an object beside its properties; undefined if it has none. */
function contentOf(value: object): unknown {
  if (value instanceof Map || value instanceof Set) return [...value];
  if (value instanceof Date) return value.getTime();
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (value instanceof RegExp || value instanceof Error) return String(value);
  return undefined;
}

/** @param above objects around `a`, with what they are compared with: values may contain themselves */
function areEqual(a: unknown, b: unknown, tolerance: number, above = new Map<object, object>()): boolean {
  if (typeof a === 'number' && typeof b === 'number')
    return a === b || Object.is(a, b) || Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  if (above.get(a) === b) return true;
  const within = new Map(above).set(a, b);
  const [content, other] = [contentOf(a), contentOf(b)];
  if (content !== undefined || other !== undefined)
    return a.constructor === b.constructor && areEqual(content, other, tolerance, within);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) => Object.hasOwn(b, key) && areEqual((a as ObjectFields)[key], (b as ObjectFields)[key], tolerance, within),
    )
  );
}

const hasCommonFactor = (a: number, b: number): boolean => (b === 0 ? a > 1 : hasCommonFactor(b, a % b));

type ObjectFields = Readonly<Record<string, unknown>>;

/**
 * Finds out by test whether a function may be the `op` of a reduction or scan. These combine neighbours in any grouping, so `op` must be associative:
 * `op(op(a, b), c)` must equal `op(a, op(b, c))`. It need not be commutative, because the order stays.
 *
 * All triples of samples are tried, in each order; of more than 36 samples, 50,000 of them. Samples should contain what is special to `op`: 0 and 1, negative
 * values, an empty string, equal values.
 *
 * @param op the function
 * @param samples values that it combines, at least one
 * @param options `{ identity, tolerance }`
 * @throws Error that shows three values for which the grouping matters, or a value that `identity` changes; TypeError for other arguments, and
 *   for an `op` that returns a promise; what `op` throws
 * @example
 * checkReducer((a: number, b: number) => Math.max(a, b), [0, -1, 5, 5, 2.5], { identity: Number.NEGATIVE_INFINITY });
 */
export function checkReducer<T>(
  op: (a: T, b: T) => T,
  samples: readonly T[],
  options: CheckReducerOptions<T> = {},
): void {
  if (typeof op !== 'function' || isRevoked(op))
    throw new TypeError(`furcate: ${CALL} takes a function (a, b); it was given ${show(op)}.`);
  if (isRevoked(samples) || !Array.isArray(samples) || samples.length === 0)
    throw new TypeError(`furcate: ${CALL}: samples must be an array of at least one value; it was ${show(samples)}.`);
  const checked = readOptions(options, CALL, OPTIONS, { prefix: `${CALL}: ` });
  const { tolerance = TOLERANCE } = checked;
  const combine = (a: unknown, b: unknown): T => {
    const result = op(copy(a) as T, copy(b) as T);
    if (!isPromise(result)) return result;
    disown(result);
    throw new TypeError(
      `furcate: ${CALL}: op returned a promise. A reduction combines values at once: make it synchronous.`,
    );
  };
  if (Object.hasOwn(options, 'identity') && options.identity !== undefined) {
    const { identity } = checked;
    for (const sample of samples as readonly T[])
      for (const [what, result] of [
        ['op(identity, x)', combine(identity, sample)],
        ['op(x, identity)', combine(sample, identity)],
      ] as const)
        if (!areEqual(result, sample, tolerance))
          throw new Error(
            `furcate: checkReducer(): ${show(identity)} is no identity of op: for x = ${show(sample)}, ${what} is ${show(result)}. Give the value that changes nothing, such as 0 for a sum.`,
          );
  }
  const count = samples.length;
  let step = Math.max(1, Math.ceil(count ** 3 / MOST_TRIPLES));
  while (hasCommonFactor(step, count)) step++; // so that each sample comes first now and then
  for (let k = 0; k < count ** 3; k += step) {
    const [a, b, c] = [k, k / count, k / count ** 2].map((at) => samples[Math.floor(at) % count] as T);
    const left = combine(combine(a, b), c);
    const right = combine(a, combine(b, c));
    if (areEqual(left, right, tolerance)) continue;
    throw new Error(
      `furcate: checkReducer(): op is not associative: with a = ${show(a)}, b = ${show(b)} and c = ${show(c)}, op(op(a, b), c) is ${show(left)}, and op(a, op(b, c)) is ${show(right)}. ` +
        'In parallel, the result would depend on how the values are grouped: carry what is needed along, such as sum and count for a mean.',
    );
  }
}
