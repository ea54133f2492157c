/**
 * Predicates, `pred(x, i, context)`: checked and shipped on the calling thread, compiled on every thread that computes.
 */
import type { Callee, NotAPromise, Synchronous } from '../../core/engine.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { comparisonKernel } from '../kernels/comparison-kernel.js';
import {
  CallingKernel,
  type Keeps,
  type PredicateFunction,
  type PredicateKernel,
} from '../kernels/predicate-kernel.js';
import { comparisonBy, maybeComparison } from '../patterns/recognise.js';
import { type Cost, costOf } from '../schedule/cost.js';
import { COMPARISON_NS } from '../tuning.js';
import type { Checked } from './options.js';
import { contextOf, type FunctionSpec, functionOf, shipUserFunction } from './user-function.js';

/** Tests an element, which matches if the result is truthy. */
export type Predicate<X, C = undefined, R = NotAPromise> = (x: X, i: number, context: C) => Synchronous<R>;

/** The part of a specification that holds a predicate. */
export interface PredicateSpec extends FunctionSpec {
  /** True if its text may be a comparison with a constant; the context decides. */
  readonly maybeComparison: boolean;
}

export function shipPredicate(callee: Callee, pred: unknown, options: Checked): PredicateSpec {
  const { fn, context, called } = shipUserFunction(callee, 'pred', pred, options);
  return { fn, context, called, maybeComparison: maybeComparison(functionOf({ fn })) };
}

/** The cost of an element: it depends on little but the function, and comparisons are known to be cheap. */
export const costOfPredicate = (spec: PredicateSpec): Cost =>
  costOf(functionOf(spec), spec.maybeComparison ? COMPARISON_NS : 0);

/** The kernel that calls a predicate. @param keeps what it writes of an element that matches */
export const callingKernel = (spec: PredicateSpec, xs: TypedArray, keeps: Keeps = 'elements'): CallingKernel =>
  new CallingKernel(xs, functionOf(spec) as PredicateFunction, contextOf(spec), spec.called, keeps);

/** The kernel that counts and finds elements by a predicate: that of the comparison with a constant that it is, which every thread finds alike, or one that calls it. */
export function predicateKernel(spec: PredicateSpec, xs: TypedArray): PredicateKernel {
  const comparison = spec.maybeComparison ? comparisonBy(functionOf(spec), () => contextOf(spec)) : undefined;
  const calling = callingKernel(spec, xs);
  return comparison === undefined ? calling : comparisonKernel(calling, xs, comparison);
}
