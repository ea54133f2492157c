/** A pile of work that divides itself: records of integers, which workers put there and take; runs in workers. */
import { THREADS } from './team.js';

/** Words before the records. */
const LOCK = 0;
const HEAD = 1;
const TAIL = 2;
/** Workers that have nothing to do. */
const WAITING = 3;
/** Goes up when there is something to see for those who wait. */
const CHANGES = 4;
const HEADER = 5;

/** Looks before a worker sleeps: some ten microseconds. */
const LOOKS = 1000;

export class Pile {
  readonly #words: Int32Array;
  readonly #width: number;
  readonly #room: number;

  /** @param words what `Pile.words` made */
  constructor(words: Int32Array, width: number) {
    this.#words = words;
    this.#width = width;
    this.#room = (words.length - HEADER) / width;
  }

  /** What workers share of a pile of at most so many records. */
  static words(room: number, width: number): Int32Array {
    return new Int32Array(new SharedArrayBuffer(4 * (HEADER + room * width)));
  }

  /** Begins with one record, while nobody takes any. */
  begin(...record: number[]): void {
    this.#words.fill(0, 0, HEADER);
    this.put(...record);
  }

  /** Whether someone waits for work that is not there. */
  get isWanted(): boolean {
    const words = this.#words;
    return Atomics.load(words, WAITING) > Atomics.load(words, TAIL) - Atomics.load(words, HEAD);
  }

  put(...record: number[]): void {
    const words = this.#words;
    this.#lock();
    const tail = words[TAIL];
    if (tail - words[HEAD] === this.#room) throw new Error('A pile is full.');
    words.set(record, HEADER + (tail % this.#room) * this.#width);
    Atomics.store(words, TAIL, tail + 1);
    this.#wake();
    this.#unlock();
  }

  /** Takes the oldest record, and waits for one if there are workers that may put one; returns false if all work is done. */
  take(into: Int32Array): boolean {
    const words = this.#words;
    this.#lock();
    while (words[HEAD] === words[TAIL]) {
      if (Atomics.add(words, WAITING, 1) === THREADS - 1) this.#wake();
      const changes = Atomics.load(words, CHANGES);
      const isDone = Atomics.load(words, WAITING) === THREADS;
      this.#unlock();
      if (isDone) return false;
      for (let k = 0; k < LOOKS && Atomics.load(words, CHANGES) === changes; k++);
      Atomics.wait(words, CHANGES, changes);
      this.#lock();
      if (words[WAITING] === THREADS) {
        this.#unlock();
        return false;
      }
      Atomics.sub(words, WAITING, 1);
    }
    const at = HEADER + (words[HEAD] % this.#room) * this.#width;
    into.set(words.subarray(at, at + this.#width));
    Atomics.add(words, HEAD, 1);
    this.#unlock();
    return true;
  }

  #wake(): void {
    Atomics.add(this.#words, CHANGES, 1);
    Atomics.notify(this.#words, CHANGES);
  }

  #lock(): void {
    while (Atomics.compareExchange(this.#words, LOCK, 0, 1) !== 0) Atomics.wait(this.#words, LOCK, 1);
  }

  #unlock(): void {
    Atomics.store(this.#words, LOCK, 0);
    Atomics.notify(this.#words, LOCK, 1);
  }
}
