/** What a program by hand has in each of two bare workers: a barrier, and parts of loops by a shared counter; runs in workers. */

export const THREADS = 2;

/** Words that the workers share. */
const ARRIVED = 0;
const ROUND = 1;
const TAKEN = 2;
export const TEAM_WORDS = 3;

/** Looks at the round before a worker sleeps: some ten microseconds. */
const LOOKS = 1000;

export class Team {
  readonly #words: Int32Array;

  constructor(words: Int32Array) {
    this.#words = words;
  }

  /** Waits until all workers are here. The last one may do something before the others go on. */
  barrier(last?: () => void): void {
    const words = this.#words;
    const round = Atomics.load(words, ROUND);
    if (Atomics.add(words, ARRIVED, 1) === THREADS - 1) {
      last?.();
      Atomics.store(words, ARRIVED, 0);
      Atomics.store(words, TAKEN, 0);
      Atomics.store(words, ROUND, round + 1);
      Atomics.notify(words, ROUND);
      return;
    }
    for (let k = 0; k < LOOKS; k++) if (Atomics.load(words, ROUND) !== round) return;
    while (Atomics.load(words, ROUND) === round) Atomics.wait(words, ROUND, round);
  }

  /** Parts of a loop over 0 to n - 1, each for one worker. The next loop begins behind a barrier. */
  *parts(n: number, size: number): Generator<[lo: number, hi: number]> {
    for (;;) {
      const lo = Atomics.add(this.#words, TAKEN, size);
      if (lo >= n) return;
      yield [lo, Math.min(n, lo + size)];
    }
  }
}

/** `bare` in `bare.ts`: what each of the two workers does. Arrays of the input lie on SharedArrayBuffers. */
export type Bare<Input> = (input: Input, team: Team) => void;
