/**
 * Choice of the thread that begins an asynchronous task; runs on every worker.
 *
 * A coroutine goes on where it has begun, and a thread begins coroutines as fast as they wait. Without a rule one thread would begin 48 tasks that
 * read a file each, and compute for all of them afterwards, while the others look on. So a thread leaves a task to another one that is free and has
 * fewer coroutines that wait. Coroutines that wait for their own forks do not count: they are about to go on with these, not with work of their own.
 *
 * A free thread may not come: it may run a coroutine in its event loop, which no word tells. So a task is left for a moment only, and the thread
 * that leaves it stays awake meanwhile. The moment is `SPREAD_MS` for each coroutine that it has more, up to `MOST_PATIENCE` times: who computes for
 * 15 ms between two looks must not find all other tasks begun (48 tasks, P=2: up to 47 of them by one thread), and tasks that only wait begin soon. While a burst is spread, the counts even out whatever was taken too early. That is why nothing depends on the words:
 * if they are late, a thread begins one more than its share, or leaves a task for a moment in vain.
 *
 * What a thread has begun since its event loop had a turn may have ended by then: an asynchronous function need not wait. A thread expects what the
 * last ones have done: either all of the new ones count, or none. Rejected: to count them always (a thread would leave each fork after the first of a
 * `joinAll` of functions that do not wait, at 1 to 2 us for publishing each), and never (all of a burst begins on one thread).
 */
import { load, store } from '../../core/memory/atomics.js';
import { STATE_WAITING, slotWord, W_STATE, W_WAITING } from '../../core/memory/layout.js';
import { host } from '../../core/platform/host.js';
import { SPREAD_MS } from '../../core/tuning.js';
import { wakeIdle } from '../../core/worker/sleep.js';
import { invocationOf, NO_INVOCATION, type WorkerSlot } from '../../core/worker/worker-slot.js';

/** A sixteenth more than another thread has is no reason to leave a task: among hundreds, each would cost a wake-up. */
const SLACK = 4;

/** For how many times `SPREAD_MS` a task is left at most (8 to 32): once for each coroutine that this thread has more than the other. */
const MOST_PATIENCE = 16;

export class Spread {
  readonly #own: WorkerSlot;
  readonly #word: number;
  /** Number of coroutines of this thread that wait for something else than forks. */
  #waiting = 0;
  /** The value of `W_WAITING`. */
  #told = 0;
  /** Turns that the event loop has had. */
  #turn = 0;
  /** Coroutines that have begun since the last turn and forked nothing, and those of them that have ended. */
  #begun = 0;
  #ended = 0;
  /** True if most of those wait that began before the last turn. */
  #expectsWaits = true;
  /** Since when this thread leaves what it could begin (milliseconds). */
  #sinceMs = Number.POSITIVE_INFINITY;

  constructor(own: WorkerSlot) {
    this.#own = own;
    this.#word = slotWord(own.memory.layout, own.slot) + W_WAITING;
  }

  /** A coroutine begins. @returns for `ends` */
  begins(): number {
    this.#begun++;
    this.#sinceMs = Number.POSITIVE_INFINITY;
    return this.#turn;
  }

  /** The body of a coroutine has ended, or it has forked, so that it says nothing of those that do not. @param turn what `begins` gave */
  isKnown(turn: number, how: 'ended' | 'forked'): void {
    if (turn !== this.#turn) {
      if (how === 'ended') this.#tell(); // it is in its event loop, where the next one may compute for long
    } else if (how === 'ended') this.#ended++;
    else this.#begun--;
  }

  /** A coroutine waits for something else than forks, or does not any more. */
  waits(change: 1 | -1): void {
    this.#waiting += change;
  }

  /** The event loop has had a turn. */
  turned(): void {
    if (this.#begun > 0) {
      this.#expectsWaits = 2 * this.#ended < this.#begun;
      this.#begun = this.#ended = 0;
      this.#turn++;
    }
    this.#tell();
  }

  /** Tells the other threads how many coroutines wait here, now and then only: at each fork and join it would take 3 % of them. */
  #tell(): number {
    const unknown = this.#expectsWaits ? 0 : this.#begun - this.#ended;
    const count = Math.max(0, this.#waiting - unknown);
    if (count !== this.#told) store(this.#own.words, this.#word, count);
    this.#told = count;
    return count;
  }

  /** Returns true if another thread should begin an asynchronous task of this one. It is woken, if it sleeps. */
  leaves(): boolean {
    const { words, memory, slot: here } = this.#own;
    const own = this.#tell();
    let least = own;
    let other = 0;
    for (let slot = memory.lastWorker; slot > 0 && least > 0; slot--) {
      const at = slotWord(memory.layout, slot);
      const waiting = load(words, at + W_WAITING);
      if (slot === here || waiting + (waiting >> SLACK) >= least || invocationOf(memory, slot) !== NO_INVOCATION)
        continue;
      if (load(words, at + W_STATE) === STATE_WAITING) continue; // it takes no tasks now
      least = waiting;
      other = slot;
    }
    if (other === 0) {
      this.#sinceMs = Number.POSITIVE_INFINITY;
      return false;
    }
    const nowMs = host().nowMs();
    if (this.#sinceMs === Number.POSITIVE_INFINITY) this.#sinceMs = nowMs;
    if (nowMs - this.#sinceMs > SPREAD_MS * Math.min(MOST_PATIENCE, own - least)) return false;
    wakeIdle(memory, other);
    return true;
  }
}
