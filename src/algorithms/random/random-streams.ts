/**
 * `randomStreams`: random numbers that are a function of a seed, an index and a position, so that they do not depend on the thread or the order in
 * which they are drawn; on every thread.
 */
import { builtinClass } from '../../core/engine.js';
import { check } from '../call/options.js';
import { threefry } from './threefry.js';

/** The random numbers of one index, one after the other. A stream belongs to the task that has asked for it, and does not cross threads. */
export interface RandomStream {
  /** The next number, at least 0 and less than 1, of 53 random bits. */
  next(): number;
  /**
   * The next integer, at least 0 and less than `n`, all equally likely.
   *
   * @param n an integer from 1 to 2^53 - 1
   * @throws TypeError or RangeError for another n
   */
  below(n: number): number;
  /** The next number of the standard normal distribution: mean 0, deviation 1. */
  normal(): number;
}

/** Streams of random numbers by index. They may stand in arguments, in `context`, and in fields of tasks. */
export interface RandomStreams {
  /**
   * The stream of an index, from its beginning. Streams of different indices are independent, and so are those of different seeds.
   *
   * @param index any safe integer: of an element, an experiment, a task
   * @throws TypeError or RangeError for another index
   */
  stream(index: number): RandomStream;
}

const WORD = 2 ** 32;
const NUMBERS = 2 ** 53;

/** Result of the last call of `threefry`. */
const words = new Int32Array(4);

const numberOf = (high: number, low: number): number => ((high >>> 5) * 2 ** 26 + (low >>> 6)) / NUMBERS;

function checkInteger(called: string, what: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  check(typeof value === 'number', called, what, 'an integer', value);
  throw new RangeError(
    `furcate: ${called}: ${what} must be an integer from ${least === 1 ? '1' : '-(2^53 - 1)'} to 2^53 - 1, but it is ${value}.`,
  );
}

class Stream implements RandomStream {
  readonly #streams: Streams;
  readonly #low: number;
  readonly #high: number;
  /** Number of the pair that comes next: the counter beside the index. */
  #pair = 0;
  /** The second of a pair, or -1 where the next number begins a pair. */
  #second = -1;

  constructor(streams: Streams, index: number) {
    this.#streams = streams;
    this.#low = index | 0;
    this.#high = Math.floor(index / WORD) | 0;
  }

  next(): number {
    const second = this.#second;
    if (second >= 0) {
      this.#second = -1;
      return second;
    }
    const { low, high } = this.#streams;
    const pair = this.#pair++;
    threefry(low, high, this.#low, this.#high, pair | 0, (pair / WORD) | 0, words);
    this.#second = numberOf(words[2] as number, words[3] as number);
    return numberOf(words[0] as number, words[1] as number);
  }

  below(n: number): number {
    checkInteger('below(n) of a random stream', 'n', n, 1);
    const end = NUMBERS - (NUMBERS % n); // those from here on would make some results likelier
    for (;;) {
      const drawn = this.next() * NUMBERS;
      if (drawn < end) return drawn % n;
    }
  }

  normal(): number {
    // Box and Muller: always two numbers, so that what comes next does not depend on what they were.
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    return radius * Math.cos(2 * Math.PI * this.next());
  }
}

/** Its fields travel: the seed. */
class Streams implements RandomStreams {
  /** @internal */ readonly low: number;
  /** @internal */ readonly high: number;

  constructor(seed: number) {
    this.low = seed | 0;
    this.high = Math.floor(seed / WORD) | 0;
  }

  stream(index: number): RandomStream {
    checkInteger('stream(index) of randomStreams()', 'index', index, 0 - Number.MAX_SAFE_INTEGER);
    return new Stream(this, index);
  }
}

builtinClass('RandomStreams', Streams);

/**
 * Makes random numbers that are the same at any parallelism and in every run: each index has a stream of its own, which follows from the seed alone.
 * Tasks and inline functions get them as an argument or in `context`, and ask for the stream of the element that they work on.
 *
 * They are for simulations, samples and shuffles, not for secrets. On one engine the same seed gives the same bits; `normal()` may differ in the last
 * one between engines, as `Math.log` and `Math.cos` do.
 *
 * @param seed any safe integer
 * @throws TypeError or RangeError for another seed
 * @remarks Cost: some 30 ns for a number, and a small object for a stream. Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
 * 1, 2, 3" (2011): Threefry-4x32-20. A seed has 2^54 streams of 2^54 numbers.
 * @example
 * const random = randomStreams(2026);
 * const isInside = (i, { random }) => {
 *   const point = random.stream(i);
 *   return Math.hypot(point.next(), point.next()) < 1 ? 1 : 0;
 * };
 * const inside = await parallelReduceRange(100_000, 'sum', { map: isInside, context: { random } });
 * const pi = (4 * inside) / 100_000;
 */
export function randomStreams(seed: number): RandomStreams {
  checkInteger('randomStreams(seed)', 'seed', seed, 0 - Number.MAX_SAFE_INTEGER);
  return new Streams(seed);
}
