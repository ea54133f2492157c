/**
 * Which words are contended, as far as is known: an access to a word that no other thread uses in a conflicting way
 * commutes with all that others do, so that the explorer needs no choice before it.
 */
import { KILL, NOTIFY, onlyReads, WAIT } from './seam.js';

export class Contention {
  readonly #words: number;
  /** By word, then by the queue of those who wait on it: bits of the threads that have read and written it. */
  readonly #readers: Int32Array;
  readonly #writers: Int32Array;
  /** Has a word turned out to be contended that others had used without a choice? */
  learned = false;

  constructor(words: number) {
    this.#words = words;
    this.#readers = new Int32Array(2 * words);
    this.#writers = new Int32Array(2 * words);
  }

  /** Has another thread used this word in a way that an access of this kind conflicts with? Notes this one down. */
  isContended(thread: number, kind: number, at: number): boolean {
    if (kind === KILL) return true;
    if (kind === NOTIFY) return this.#meets(thread, at + this.#words, true);
    if (kind === WAIT) {
      const queue = this.#meets(thread, at + this.#words, true);
      return this.#meets(thread, at, false) || queue;
    }
    return this.#meets(thread, at, !onlyReads(kind));
  }

  #meets(thread: number, at: number, writes: boolean): boolean {
    const bit = 1 << thread;
    const mine = writes ? this.#writers : this.#readers;
    if ((mine[at] & bit) === 0) {
      const [readers, writers] = [this.#readers[at], this.#writers[at]];
      const [reads, changes] = [readers & onlyOf(writers), writers & onlyOf(readers | writers)];
      mine[at] |= bit;
      const stillReads = onlyOf(this.#writers[at]);
      const stillChanges = onlyOf(this.#readers[at] | this.#writers[at]);
      if (((reads & ~stillReads) | (changes & ~stillChanges)) !== 0) this.learned = true;
    }
    return ((this.#writers[at] | (writes ? this.#readers[at] : 0)) & ~bit) !== 0;
  }
}

/** The threads that meet nobody else among these: any if there are none, or the only one. */
const onlyOf = (threads: number): number => (threads === 0 ? -1 : (threads & (threads - 1)) === 0 ? threads : 0);
