/**
 * Predicates: `pred(x, i, context)`, which says true or false of an element; checked and shipped on the calling thread.
 */
import { patternOf } from '../patterns/comparison.js';
import { type Cost, costOf } from '../schedule/cost.js';
import { COMPARISON_NS } from '../tuning.js';
import type { Checked } from './options.js';
import { type FunctionSpec, functionOf, shipUserFunction } from './user-function.js';

/** Says true or false of an element. */
export type Predicate<X, C = undefined> = (x: X, i: number, context: C) => boolean;

export const shipPredicate = (name: string, pred: unknown, options: Checked): FunctionSpec =>
  shipUserFunction(name, 'pred', pred, options);

/** What an element costs depends on the function alone, near enough; a comparison is known to be cheap. */
export function costOfPredicate(spec: FunctionSpec): Cost {
  const fn = functionOf(spec);
  return costOf(fn, patternOf(fn) === undefined ? 0 : COMPARISON_NS);
}
