/** `sharedBest`: the best value found so far and its solution, for branch and bound; on every thread. */
import { builtinClass, sharedArray } from '../../core/engine.js';
import { refuseRevoked, show } from '../../core/errors.js';
import { numberOf, readOptions } from '../../core/options.js';
import { bestValue, cellWords, offer, openCell, solutionOf } from './cell.js';

/** The best value that any thread has offered, and its solution. It may stand in arguments, in `context`, and in fields of tasks. */
export interface SharedBest {
  /** The best value so far; before the first offer `initial`, or Infinity where less is better, else -Infinity. Costs a nanosecond more than a variable (V8). */
  readonly value: number;
  /**
   * Offers a value and its solution. They become the best ones together if the value is better, or if it is equal and the solution is less: in
   * the first word in which the two differ.
   *
   * @param value any number but NaN
   * @param solution as many integers of 32 bits as `sharedBest` was told; they are copied
   * @returns whether they are the best ones now
   * @throws TypeError or RangeError for other arguments
   */
  offer(value: number, solution?: ArrayLike<number>): boolean;
  /** A copy of the solution of the best value; undefined before the first offer. */
  solution(): Int32Array | undefined;
}

/** Options of a `sharedBest`: what it holds beside the value. */
export interface SharedBestOptions {
  /** Number of words of a solution, integers of 32 bits: 0 up to 16,000,000. Default 0. */
  readonly solution?: number | undefined;
  /**
   * A value that is known beforehand: what a heuristic has found, or a bound that answers must reach. Offers that are worse are refused. Default: Infinity
   * where less is better, else -Infinity.
   */
  readonly initial?: number | undefined;
}

const MAX_LENGTH = 16_000_000;
const NOTHING: readonly number[] = [];

/** @param called as errors name it. @throws TypeError for what is no value */
export function offerTo(
  words: Int32Array,
  value: number,
  solution: ArrayLike<number>,
  sign: number,
  called: string,
): boolean {
  if (typeof value !== 'number' || Number.isNaN(value))
    throw new TypeError(`furcate: ${called} takes a number; the value was ${show(value)}.`);
  return offer(words, value + 0, solution, sign); // -0 is 0
}

/** Its fields travel. They do not change, because objects in a context are frozen. */
class Best implements SharedBest {
  /** @internal */ readonly words: Int32Array;
  /** @internal 1 if less is better, -1 if more is. */ readonly sign: number;
  /** @internal */ readonly length: number;

  constructor(words: Int32Array, sign: number, length: number) {
    this.words = words;
    this.sign = sign;
    this.length = length;
  }

  get value(): number {
    return bestValue(this.words, this.length);
  }

  offer(value: number, solution: ArrayLike<number> = NOTHING): boolean {
    refuseRevoked(solution, 'solution of offer(value, solution)');
    const { length } = Object(solution) as ArrayLike<number>;
    if (length !== this.length)
      throw new RangeError(
        `furcate: offer(value, solution) takes a solution of ${this.length} words, as sharedBest() was told; it had ${show(length)}.`,
      );
    for (let k = 0; k < length; k++)
      if ((solution[k] as number) !== ((solution[k] as number) | 0))
        throw new RangeError(
          `furcate: offer(value, solution): solution[${k}] must be an integer of 32 bits; it was ${show(solution[k])}.`,
        );
    return offerTo(this.words, value, solution, this.sign, 'offer(value, solution)');
  }

  solution(): Int32Array | undefined {
    return solutionOf(this.words, this.length);
  }
}

builtinClass('SharedBest', Best);

const CALL = 'sharedBest(kind, options)';
const OPTIONS = {
  solution: numberOf(
    (value) => Number.isInteger(value) && value >= 0 && value <= MAX_LENGTH,
    `an integer from 0 to ${MAX_LENGTH}`,
    'words',
  ),
  initial: numberOf((value) => !Number.isNaN(value), 'any number but NaN'),
};

/**
 * Makes a place for the best value that tasks have found so far, and its solution: for branch and bound, where every task must know what the others
 * have found, to leave out what cannot be better. Value and solution change together. A read never waits, and an offer waits for no
 * other thread that is in the middle of one.
 *
 * If the search is exhaustive, the value is the same in every run. The solution is, too, if no part of the search is left out that might hold an
 * equally good one: leave out what is worse (`bound > best.value` where less is better), and not what is equal.
 *
 * @param kind 'min' if less is better, 'max' if more is
 * @param options `{ solution, initial }`: how many words a solution has; a value that is known beforehand
 * @throws TypeError or RangeError naming the argument; RangeError when the shared heap is full
 * @example
 * const best = sharedBest('min', { solution: 3 });
 * best.offer(12, [2, 0, 1]); // => true
 * best.offer(12, [2, 1, 0]); // => false
 * best.value; // => 12
 */
export function sharedBest(kind: 'min' | 'max', options: SharedBestOptions = {}): SharedBest {
  if (kind !== 'min' && kind !== 'max')
    throw new TypeError(`furcate: sharedBest(kind) takes 'min' or 'max'; it was given ${show(kind)}.`);
  const sign = kind === 'min' ? 1 : -1;
  const { solution: length = 0, initial = sign * Number.POSITIVE_INFINITY } = readOptions(options, CALL, OPTIONS, {
    prefix: `${CALL}: `,
  });
  const words = sharedArray(Int32Array, cellWords(length));
  openCell(words, initial + 0); // -0 is 0
  return new Best(words, sign, length);
}
