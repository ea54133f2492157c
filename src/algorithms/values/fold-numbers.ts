/**
 * Folds of what is read of values, where that is numbers, without a list of results; runs on every thread that computes.
 *
 * Both functions do nothing but read, so a block whose results are no numbers is folded again, by the way that all others take.
 */
import { specialize } from '../../core/engine.js';
import { isReader } from '../patterns/recognise.js';

export type ChunkFunction = (...args: unknown[]) => unknown;

/** Folds what a function makes of values [lo, hi), from `start` on if there is one; undefined if any of that is not a number. */
export type FoldNumbers = (
  values: readonly unknown[],
  lo: number,
  hi: number,
  start: number | undefined,
  first: number,
  given: unknown,
) => number | undefined;

/** A template, see specialize.ts. */
const makeFoldNumbers = (map: ChunkFunction, op: ChunkFunction): FoldNumbers =>
  function foldNumbers(values, lo, hi, start, first, given) {
    let k = lo;
    const begin = start ?? map(values[k], first + k++, given);
    if (typeof begin !== 'number') return undefined;
    let folded: number = begin;
    for (; k < hi; k++) {
      const value = map(values[k], first + k, given);
      if (typeof value !== 'number') return undefined;
      folded = op(folded, value) as number;
    }
    return folded;
  };

/** @param named whether `op` is one of the operations that have a name; undefined for a function of the user's */
export function foldNumbersOf(
  map: ChunkFunction | undefined,
  op: ChunkFunction | undefined,
  named: 'named' | undefined,
): FoldNumbers | undefined {
  if (map === undefined || op === undefined || !isReader(map)) return undefined;
  return named === undefined && !isReader(op) ? undefined : specialize(makeFoldNumbers, '', map, op);
}
