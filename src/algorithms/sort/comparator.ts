/**
 * Comparators as arguments: algorithms that order elements take one, or leave it out for the order of numbers; runs on
 * the calling thread.
 */
import { shipContext, shipFunction } from '../../core/code/source.js';
import type { ElementOf, TypedArray } from '../../core/memory/element-types.js';
import type { Form } from '../../core/pool/call.js';
import { type Checked, checkFunction, isPlainObject, readOptions } from '../call/options.js';
import { needsPool } from '../call/staged-call.js';
import { shown } from '../shown.js';

/** Says how two elements are ordered: negative for `a` first, positive for `b` first, 0 for equal. */
export type Comparator<T extends TypedArray, C = undefined> = (a: ElementOf<T>, b: ElementOf<T>, context: C) => number;

/** A comparator as algorithms call it. */
export type Compare = (a: unknown, b: unknown, context: unknown) => unknown;

/**
 * Sorts out the arguments after the arrays: a comparator, options, both or neither.
 *
 * @param own names of options that only this algorithm has
 */
export function readCompare(
  name: string,
  form: Form,
  rest: readonly unknown[],
  own: readonly string[] = [],
): { compare: Compare | undefined; options: Checked } {
  const [compare, given] = isPlainObject(rest[0]) && rest[1] === undefined ? [undefined, rest[0]] : rest;
  if (compare !== undefined && typeof compare !== 'function') {
    throw new TypeError(
      `furcate: ${name}: compare must be a function (a, b) or left out, but it is ${shown(compare)}.`,
    );
  }
  if (compare !== undefined) checkFunction(name, 'compare', compare);
  return { compare: compare as Compare | undefined, options: readOptions(name, form, given, own) };
}

/** Whether a comparator has to run in a pool, however few elements there are. */
export const comparesInPool = (compare: Compare | undefined, options: Checked): boolean =>
  compare !== undefined &&
  needsPool(
    {
      compare: shipFunction(compare, 'compare'),
      context: options.context === undefined ? undefined : shipContext(options.context, 'context'),
    },
    options,
  );
