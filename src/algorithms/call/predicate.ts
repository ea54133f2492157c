/**
 * Predicates, `pred(x, i, context)`: checked and shipped on the calling thread, compiled on every thread that computes.
 */
import type { Callee, NotAPromise, Synchronous } from '../../core/engine.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { type Comparison, comparisonKernel } from '../kernels/comparison-kernel.js';
import { CallingKernel, type Keeps, type PredicateKernel } from '../kernels/predicate-kernel.js';
import { comparisonBy, maybeComparison } from '../patterns/recognise.js';
import { type Cost, costOf } from '../schedule/cost.js';
import { COMPARISON_NS } from '../tuning.js';
import type { Checked } from './options.js';
import { contextOf, type FunctionSpec, functionOf, shipUserFunction } from './user-function.js';

/** Tests an element, which matches if the result is truthy. */
export type Predicate<X, C = undefined, R = NotAPromise> = (x: X, i: number, context: C) => Synchronous<R>;

/** The part of a specification that holds a predicate. */
export interface PredicateSpec extends FunctionSpec {
  /** Whether its text may be a comparison with a constant; the context decides. */
  readonly maybeComparison: boolean;
}

export function shipPredicate(callee: Callee, pred: unknown, options: Checked): PredicateSpec {
  const { fn, context, called } = shipUserFunction(callee, 'pred', pred, options);
  return { fn, context, called, maybeComparison: maybeComparison(functionOf({ fn })) };
}

/** The cost of an element: it depends on little but the function, and comparisons are known to be cheap. */
export const costOfPredicate = (spec: PredicateSpec): Cost =>
  costOf(functionOf(spec), spec.maybeComparison ? COMPARISON_NS : 0);

/** The comparison with a constant that a predicate is, if it is one; every thread finds the same. */
export const comparisonOfSpec = (spec: PredicateSpec): Comparison | undefined =>
  spec.maybeComparison ? comparisonBy(functionOf(spec), () => contextOf(spec)) : undefined;

/** The kernel that tests elements by a predicate. Those of comparisons keep elements; where indices are kept, all predicates are called. */
export function predicateKernel(spec: PredicateSpec, xs: TypedArray, keeps: Keeps = 'elements'): PredicateKernel {
  const comparison = keeps === 'elements' ? comparisonOfSpec(spec) : undefined;
  const pred = functionOf(spec) as (x: unknown) => unknown;
  const calling = new CallingKernel(xs, pred, contextOf(spec), spec.called, comparison !== undefined, keeps);
  return comparison === undefined ? calling : comparisonKernel(calling, xs, comparison);
}
