/** `parallelSort` of an array of strings, by a collator; runs on the calling thread. */
import type { Callee } from '../../core/engine.js';
import { isRevoked } from '../../core/errors.js';
import type { AlgorithmOptions } from '../call/options.js';
import { SteppedAlgorithm } from './argsort-steps.js';
import { COLLATOR_OPTIONS } from './collated.js';
import { sortBySteps } from './sort-by-steps.js';

/** Options of a sort of strings. */
export type SortStringsOptions = AlgorithmOptions<never> &
  ({ readonly collator: Intl.Collator } | { readonly locale: string | readonly string[] });

/** `parallelSort` of an array of strings, in its two forms: each string is its own key. */
export const sortStrings = new SteppedAlgorithm('parallelSort', (callee: Callee, strings: unknown[], given: unknown) =>
  sortBySteps(callee, strings, (text: unknown) => text, given),
);

/** Checks whether this is an array whose strings a collator is to compare. */
export const areStringsToCollate = (xs: unknown, [given]: readonly unknown[]): xs is unknown[] =>
  !isRevoked(xs) &&
  Array.isArray(xs) &&
  !isRevoked(given) &&
  COLLATOR_OPTIONS.some((option) => option in Object(given));
