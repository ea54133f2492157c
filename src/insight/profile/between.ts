/**
 * Time between calls, in which nothing runs that was handed to pools: code of the caller, and what it takes to answer one call and to begin the next. On the
 * thread that called `profile`, while the clock counts.
 */
import type { Journal } from './journal.js';
import type { ProfileAccount } from './totals.js';

type RunOfTask = ProfileAccount['stolen'];

export class BetweenCalls {
  #inFlight = 0;
  /** The end of the latest task, by the clock of all threads; undefined before the first, and while that is not known. */
  #sinceUs: number | undefined;

  /** A task is handed to a pool. @returns the number of its fork, and what takes when it has run, if that is known */
  handed(journal: Journal): readonly [fork: number, arrived: (ran: RunOfTask, isBeside: boolean) => void] {
    const sinceUs = this.#inFlight++ === 0 ? this.#sinceUs : undefined;
    const [fork, took] = journal.call();
    const arrived = (ran: RunOfTask, isBeside: boolean): void => {
      this.#inFlight--;
      if (ran === undefined) {
        if (this.#inFlight === 0) this.#sinceUs = undefined;
        return;
      }
      if (sinceUs !== undefined && !isBeside) took(Math.max(0, ran.fromUs - sinceUs));
      this.#sinceUs = Math.max(this.#sinceUs ?? 0, ran.toUs);
    };
    return [fork, arrived];
  }

  /** The caller has run tasks itself. */
  ranHere(us: number): void {
    if (this.#inFlight === 0 && this.#sinceUs !== undefined) this.#sinceUs += us;
  }
}
