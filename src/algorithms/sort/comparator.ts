/**
 * How an algorithm orders elements: by a comparator, or as numbers where there is none; runs on the calling thread.
 */
import { type ShippedContext, type ShippedFunction, shipContext, shipFunction } from '../../core/code/source.js';
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import type { Form } from '../../core/pool/call.js';
import { type Checked, checkFunction, isPlainObject, readOptions } from '../call/options.js';
import { shown } from '../shown.js';
import type { Compare } from './kernels/merge-kernel.js';

/** Says how two elements are ordered: negative for `a` first, positive for `b` first, 0 for equal. */
export type Comparator<T extends TypedArray, C = undefined> = (a: ElementOf<T>, b: ElementOf<T>, context: C) => number;

/** A call of an algorithm that orders elements; its arguments are checked. */
export interface Ordering {
  readonly name: string;
  readonly options: Checked;
  /** The comparator as it was given; undefined for the order of numbers. */
  readonly comparator: Compare | undefined;
  readonly compare: ShippedFunction | undefined;
  /** Of the comparator. */
  readonly context: ShippedContext | undefined;
  /** What errors call the comparator. */
  readonly called: string;
}

/** The order by a comparator, or that of numbers. */
export function orderBy(name: string, options: Checked, comparator?: Compare): Ordering {
  const isCompared = comparator !== undefined;
  return {
    name,
    options,
    comparator,
    compare: isCompared ? shipFunction(comparator, 'compare') : undefined,
    context: isCompared && options.context !== undefined ? shipContext(options.context, 'context') : undefined,
    called: `the comparator of ${name.replace(/Sync$/, '')}`,
  };
}

/**
 * Reads the arguments after the arrays: a comparator, options, both or neither.
 *
 * @param own names of options that only this algorithm has
 */
export function readCompare(name: string, form: Form, rest: readonly unknown[], own: readonly string[] = []): Ordering {
  const [compare, given] = isPlainObject(rest[0]) && rest[1] === undefined ? [undefined, rest[0]] : rest;
  if (compare !== undefined && typeof compare !== 'function') {
    throw new TypeError(
      `furcate: ${name}: compare must be a function (a, b) or left out, but it is ${shown(compare)}.`,
    );
  }
  if (compare !== undefined) checkFunction(name, 'compare', compare);
  return orderBy(name, readOptions(name, form, given, own), compare as Compare | undefined);
}
