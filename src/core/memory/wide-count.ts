/**
 * Counts of more than 32 bits in two words of shared memory; used by every thread that computes. `BigInt64Array` atomics take six times as
 * long.
 *
 * | word | holds | written by | read by | access |
 * | --- | --- | --- | --- | --- |
 * | 0 | the count modulo 2^32 | all | all | add, load |
 * | 1 | how often word 0 has wrapped | the thread whose addition wraps it | all | add, load |
 *
 * **O1** A reader loads word 1 first. A count that is read while a thread is between its two additions is 2^32 too small, never too large.
 */
import { add, load } from './atomics.js';

const WORD = 2 ** 32;

/** Number of words that a count takes. */
export const COUNT_WORDS = 2;

/** Adds a safe integer from 0 up. */
export function addCount(words: Int32Array, at: number, count: number): void {
  const low = count % WORD;
  const before = add(words, at, low | 0) >>> 0;
  const wraps = Math.floor(count / WORD) + (before + low >= WORD ? 1 : 0);
  if (wraps !== 0) add(words, at + 1, wraps); // O1
}

/** The count. While others add to it, it may be too small by a multiple of 2^32. */
export function readCount(words: Int32Array, at: number): number {
  const wraps = load(words, at + 1) >>> 0; // O1 first
  return wraps * WORD + (load(words, at) >>> 0);
}
