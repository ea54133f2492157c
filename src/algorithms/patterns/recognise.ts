/**
 * The entry to this folder: recognises user functions by their text, so that a kernel can replace them, unless a switch turns
 * recognition off; runs on every thread.
 *
 * What is recognised gives the same results as the function that is called, so turning recognition off changes the speed only.
 * Nothing outside of this folder imports another file of it.
 */
import { environmentVariable } from '../../core/engine.js';
import type { Comparison } from '../kernels/comparison-kernel.js';
import { branchless } from './branchless.js';
import { comparisonOf, patternOf } from './comparison.js';
import { type AnyComparator, type NumericOrder, numericOrderOf } from './numeric-order.js';
import { readingOf } from './reads-only.js';

export type { NumericOrder } from './numeric-order.js';

/** `FURCATE_PATTERNS=off` turns recognition off, for comparisons and as a workaround for bugs in this folder. */
const VARIABLE = 'FURCATE_PATTERNS';

let isOn: boolean | undefined;

/** Returns true if functions are recognised; the environment is read once. */
export function recognises(): boolean {
  isOn ??= environmentVariable(VARIABLE) !== 'off';
  return isOn;
}

/** For tests: reads the environment again at the next use. */
export function resetRecognition(): void {
  isOn = undefined;
}

/** Checks whether a predicate compares its element with a constant, or with a property of the context that may be one. */
export const maybeComparison = (pred: AnyComparator): boolean => recognises() && patternOf(pred) !== undefined;

/**
 * The comparison with a constant that a predicate is in a call with this context; undefined for one that has to be called.
 * For predicates of which `maybeComparison` holds on the caller: all threads of a call must agree, whatever their environment.
 */
export function comparisonBy(pred: AnyComparator, contextOf: () => unknown): Comparison | undefined {
  const pattern = patternOf(pred);
  return pattern === undefined ? undefined : comparisonOf(pattern, contextOf());
}

/** The order of numbers, or of bigints, that a comparator stands for; undefined for one that has to be called. */
export const numericOrder = (compare: AnyComparator, ofBigints: boolean): NumericOrder | undefined =>
  recognises() ? numericOrderOf(compare, ofBigints) : undefined;

/** Checks whether a function of a value does nothing but read properties of it by name. */
export const isReader = (fn: (...args: never) => unknown): boolean => recognises() && readingOf(fn) !== undefined;

/** The properties that are all that such a function reads of a value; undefined for other functions. It says what travels, so no switch turns it off. */
export const propertiesRead = (fn: (...args: never) => unknown): readonly string[] | undefined =>
  readingOf(fn)?.properties;

/** A comparator that answers as this one does, without branches where that is possible. */
export const withoutBranches = <F extends AnyComparator>(compare: F): F =>
  recognises() ? (branchless(compare) as F) : compare;
