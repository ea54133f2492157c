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
  /** The number of this worker. */
  readonly me: number;

  constructor(words: Int32Array, me: number) {
    this.#words = words;
    this.me = me;
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

  /** The part of a loop that this worker does, where all take the same time. */
  share(n: number): [lo: number, hi: number] {
    return [Math.floor((n * this.me) / THREADS), Math.floor((n * (this.me + 1)) / THREADS)];
  }
}

/**
 * `bare` in `bare.ts`: what each of the two workers does; what it returns is posted. Arrays lie on SharedArrayBuffers.
 *
 * @param message what came with this call
 */
export type Bare<Shared, Message = undefined, Part = void> = (shared: Shared, team: Team, message: Message) => Part;

/** `caller` in `bare.ts`, where workers cannot do all: what the main thread does. */
export interface Caller<Input, Shared = Input, Message = undefined, Part = void, Result = void> {
  /** What crosses to the workers once, by `workerData`. */
  share?(input: Input): Shared;
  /** What a call begins with; makes what is sent with it. */
  open?(input: Input, shared: Shared): Message;
  /** What a call ends with. */
  close?(given: {
    readonly input: Input;
    readonly shared: Shared;
    readonly message: Message;
    readonly parts: readonly Part[];
  }): Result | Promise<Result>;
}
