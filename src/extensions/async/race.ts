/** A race: forks of one coroutine of which the first that succeeds ends the others; on the thread of the coroutine. Protocol: A2 in README.md. */
import { openRace } from '../../core/memory/record-kinds.js';
import { NO_RECORD } from '../../core/memory/records.js';
import { lost } from '../../core/worker/race-tasks.js';
import { endRace } from '../../core/worker/requests.js';
import type { WorkerSlot } from '../../core/worker/worker-slot.js';

/** A fork, as its race sees it. */
interface Contestant {
  readonly failed: boolean;
}

export class Race<Fork extends Contestant> {
  /** The first that succeeded, once one has. */
  winner: Fork | undefined;
  readonly forks: Fork[] = [];
  /** Resolves when nothing of it runs any more. */
  readonly over: Promise<void>;
  /** For `setRace` of its tasks. */
  readonly word: number;
  /** Null without a pool. */
  readonly #own: WorkerSlot | null;
  /** The entry of the record that stands for it. */
  readonly #entry: number;
  #running: number;
  #resolve: () => void = () => {};
  readonly #cancel: (fork: Fork, reason: unknown) => void;

  /**
   * @param outer the race around it, as `setRace` has it
   * @param count of its forks
   * @param cancel ends a fork that has not ended, or asks it to end
   */
  constructor(own: WorkerSlot | null, outer: number, count: number, cancel: (fork: Fork, reason: unknown) => void) {
    this.#own = own;
    this.#running = count;
    this.#cancel = cancel;
    this.over = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#entry = own === null ? NO_RECORD : own.records.allocate();
    this.word = outer;
    if (own === null || this.#entry === NO_RECORD) return;
    this.word = own.records.wordOf(this.#entry);
    openRace(own.words, this.word, outer);
  }

  /**
   * True if it has a record. Otherwise what runs of it, and does not await, ends when its own thread hears of the winner.
   */
  get isShared(): boolean {
    return this.#entry !== NO_RECORD;
  }

  ended(fork: Fork): void {
    const own = this.#own;
    if (!fork.failed && this.winner === undefined) {
      this.winner = fork;
      if (own !== null && this.isShared) endRace(own, this.word);
      const reason = lost();
      for (const other of this.forks) if (other !== fork) this.#cancel(other, reason);
    }
    if (--this.#running > 0) return;
    if (own !== null && this.isShared) own.records.release(this.#entry);
    this.#resolve();
  }
}
