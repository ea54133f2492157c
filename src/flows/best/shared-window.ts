/** `sharedWindow`: both bounds of a search for two players, which take turns; on every thread. */
import { builtinClass, sharedArray } from '../../core/engine.js';
import { numberOf, readOptions } from '../../core/options.js';
import { bestValue, cellWords, openCell } from './cell.js';
import { offerTo } from './shared-best.js';

/**
 * The values that still matter at a position of a game, as the player sees them whose turn it is: alpha is what that player has for sure, beta is what the other
 * one will not let pass. It may stand in arguments, in `context`, and in fields of tasks; all threads see it move.
 */
export interface SharedWindow {
  /** The best value so far, of this position or of those before it. */
  readonly alpha: number;
  /** Value that the other player has elsewhere: a value that is as large ends the search of this position. */
  readonly beta: number;
  /** True once alpha has reached beta, so that the other moves of this position need no search. */
  readonly isClosed: boolean;
  /**
   * Offers the value of a move from this position, as its player sees it.
   *
   * @param value any number but NaN
   * @returns whether it is better than those offered before
   * @throws TypeError for another value
   */
  offer(value: number): boolean;
  /** The window of a position to which a move leads, as the other player sees it: its bounds follow from those of this one, and move with them. */
  reply(): SharedWindow;
}

/** The bounds of a `sharedWindow` beforehand. */
export interface SharedWindowOptions {
  /** Value that the player has for sure. Default: -Infinity. */
  readonly alpha?: number | undefined;
  /** Value that the other player has. Default: Infinity. */
  readonly beta?: number | undefined;
}

/** Its fields travel. They do not change, because objects in a context are frozen. */
class SearchWindow implements SharedWindow {
  /** @internal What was offered. */ readonly words: Int32Array;
  /** @internal Beta of the first position. */ readonly last: number;
  /** @internal The position before. */ readonly before: SearchWindow | undefined;

  constructor(first: number, last: number, before: SearchWindow | undefined) {
    this.words = sharedArray(Int32Array, cellWords(0));
    openCell(this.words, first);
    this.last = last;
    this.before = before;
  }

  get alpha(): number {
    const own = bestValue(this.words, 0);
    return this.before === undefined ? own : Math.max(own, -this.before.beta);
  }

  get beta(): number {
    return this.before === undefined ? this.last : -this.before.alpha;
  }

  get isClosed(): boolean {
    return this.alpha >= this.beta;
  }

  offer(value: number): boolean {
    return offerTo(this.words, value, [], -1, 'offer(value) of a window');
  }

  reply(): SharedWindow {
    return new SearchWindow(Number.NEGATIVE_INFINITY, 0, this);
  }
}

builtinClass('SharedWindow', SearchWindow);

const CALL = 'sharedWindow(options)';
const bound = numberOf((value) => !Number.isNaN(value), 'any number but NaN');

/**
 * Makes the window of a search for two players, alpha and beta: what one thread finds, at this position or before it, bounds the search of all others. The
 * value of the first position is the same in every run; how much is searched depends on the schedule.
 *
 * Search the first move of a position before you fork the others, so that they begin with a bound ("young brothers wait"). Let a fork offer what it finds at
 * once, and look at `isClosed` before it begins. Search what is small by a plain function, which takes `alpha` and `beta` as numbers.
 *
 * @param options `{ alpha, beta }`: bounds that are known beforehand
 * @throws TypeError naming the option; RangeError when the shared heap is full
 * @remarks Cost: a look at a bound takes some ns for each position on the way from the first one; a window takes 2 KB until it is collected.
 * Source: Feldmann, Monien, Mysliwietz and Vornberger, "Distributed game tree search" (1990).
 * @example
 * const window = sharedWindow();
 * window.offer(3); // => true
 * const reply = window.reply();
 * [reply.alpha, reply.beta]; // => [-Infinity, -3]
 * reply.offer(-2); // => true
 * reply.isClosed; // => true
 */
export function sharedWindow(options: SharedWindowOptions = {}): SharedWindow {
  const { alpha = Number.NEGATIVE_INFINITY, beta = Number.POSITIVE_INFINITY } = readOptions(
    options,
    CALL,
    { alpha: bound, beta: bound },
    { prefix: `${CALL}: ` },
  );
  return new SearchWindow(alpha + 0, beta + 0, undefined); // -0 is 0
}
