/** Order of elements in an algorithm: by a comparator, or as numbers where there is none; runs on the calling thread. */
import { type Callee, type ShippedContext, type ShippedFunction, shipFunction } from '../../core/engine.js';
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import {
  type AlgorithmOptions,
  type Checked,
  check,
  checkFunction,
  isPlainObject,
  readOptions,
} from '../call/options.js';
import { shippedContext } from '../call/user-function.js';
import type { ShareOptions } from '../schedule/grain.js';
import type { Compare } from './kernels/merge-kernel.js';

/** Says how two elements are ordered: negative for `a` first, positive for `b` first, 0 for equal. */
export type Comparator<T extends TypedArray, C = undefined> = (a: ElementOf<T>, b: ElementOf<T>, context: C) => number;

/**
 * Part of the specifications of jobs about the user's code and the grain. The code is at the top of a specification, because
 * its dependencies are looked for there.
 */
export interface Compared extends ShareOptions {
  /** Undefined for the order of numbers. */
  readonly compare: ShippedFunction | undefined;
  /** Of the comparator. */
  readonly context: ShippedContext | undefined;
  /** Name of the comparator for error messages. */
  readonly called: string;
}

/** A call of an algorithm that orders elements; its arguments are checked. */
export interface Ordering extends Compared {
  readonly callee: Callee;
  readonly options: Checked;
  /** The comparator as it was given; undefined for the order of numbers. */
  readonly comparator: Compare | undefined;
}

/** The order by a comparator, or that of numbers. */
export const orderBy = (callee: Callee, options: Checked, comparator?: Compare): Ordering => ({
  callee,
  options,
  comparator,
  compare: comparator && shipFunction(comparator, 'compare'),
  context: comparator && shippedContext(options),
  called: `the comparator of ${callee.names.promise}`,
  threshold: options.threshold,
  parallelism: options.parallelism,
});

/**
 * Arguments that may follow the arrays in a call: a comparator, options, both or neither. One list, because of several the compiler says
 * nothing of a misspelt option but that a comparator has none of the name.
 */
export type CompareRest<T extends TypedArray, C, More = unknown> = [
  compare?: Comparator<T, C> | (AlgorithmOptions<C> & More) | undefined,
  options?: (AlgorithmOptions<C> & More) | undefined,
];

/** As `CompareRest`, with options that must be given. */
export type CompareGiven<T extends TypedArray, C, More> =
  | [options: AlgorithmOptions<never> & More]
  | [compare: Comparator<T, C> | undefined, options: AlgorithmOptions<C> & More];

/**
 * Reads what follows the arrays.
 *
 * @param own names of options that only this algorithm has
 */
export function readCompare(callee: Callee, rest: readonly unknown[], own: readonly string[] = []): Ordering {
  const [compare, given] = isPlainObject(rest[0]) && rest[1] === undefined ? [undefined, rest[0]] : rest;
  if (compare !== undefined) {
    check(typeof compare === 'function', callee.name, 'compare', 'a function (a, b) or left out', compare);
    checkFunction(callee.name, 'compare', compare);
  }
  return orderBy(callee, readOptions(callee, given, own), compare as Compare | undefined);
}
