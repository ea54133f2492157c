/**
 * Wait of a pool's owner for the ends of roots, and for reports.
 *
 * A worker that completes a root, or reports something, adds 1 to one word. While anything is in flight, the owner waits for that word to
 * change without blocking (`Atomics.waitAsync`), and then looks at the roots.
 */
import { load } from '../memory/atomics.js';
import { C_COMPLETED } from '../memory/layout.js';
import { host } from '../platform/host.js';
import { MAX_UNSPUN, OWNER_SPIN_US } from '../tuning.js';
import { whenChanged } from '../worker/when-changed.js';
import type { WorkerGroup } from './worker-group.js';

/** Time between two looks of the owner without being woken (milliseconds), at most: a safety net only. */
const GUARD_MS = 1000;
/** Number of looks in the time after which a task counts as stalled, and the least time between two looks (milliseconds). */
const LOOKS = 4;
const LEAST_GUARD_MS = 10;

const resolved = Promise.resolve();

/** As `queueMicrotask`, which the fake timers of a test may have replaced: they do not stop a pool. */
const soon = (then: () => void): void => void resolved.then(then);

/** The invocations, as the watch sees them. */
interface Watched {
  /** Looks at all roots. */
  look(): void;
  /** Number of roots in flight. */
  inFlight(): number;
  /** Called at every look of the guard, before it: to look at those that compute. @param delay how it has come to that */
  guard(delay: GuardDelay): void;
}

/** Delay of a look of the guard, by an event loop that was busy. */
export interface GuardDelay {
  /** Time since which the timer has run (milliseconds, by `nowMs`). */
  readonly setMs: number;
  /** Number of invocations that have ended, and their callers could not hear of it while the event loop was busy. */
  readonly late: number;
}

export class RootWatch {
  readonly #group: WorkerGroup;
  readonly #watched: Watched;
  #watching = false;
  #guarded = false;
  /** Time at which the timer of the guard was set, and number of results that came while it was late. */
  #setMs = 0;
  #late = 0;
  #lookQueued = false;
  /** Number of turns that still pass without a spin, and that will after the next spin if that is in vain. */
  #unspun = 0;
  #nextUnspun = 1;

  constructor(group: WorkerGroup, watched: Watched) {
    this.#group = group;
    this.#watched = watched;
  }

  #watch(): void {
    const watched = this.#watched;
    if (watched.inFlight() === 0) return;
    this.#guard();
    if (this.#watching) return;
    const { words } = this.#group.memory;
    const seen = load(words, C_COMPLETED); // S8, N1: before the look; what comes later changes it
    this.#look();
    if (watched.inFlight() === 0) return;
    this.#watching = true;
    const again = (): void => {
      this.#watching = false;
      this.#watch();
    };
    const outcome = whenChanged(words, C_COMPLETED, seen); // no time-out, for which the runtime would set a timer: 30 us
    if (outcome === undefined) setTimeout(again, 1);
    else if (outcome.async) void outcome.value.then(again);
    else soon(again);
  }

  /** Looks at all roots. Those that have ended count as late if the guard should have looked long ago: the event loop was busy. */
  #look(): void {
    const { stallMs } = this.#group.settings;
    const before = this.#watched.inFlight();
    const isLate = stallMs > 0 && this.#guarded && before > 0 && host().nowMs() - this.#setMs > stallMs;
    this.#watched.look();
    if (isLate) this.#late += before - this.#watched.inFlight();
  }

  /** One timer for all waits. */
  #guard(): void {
    if (this.#guarded) return;
    this.#guarded = true;
    this.#setMs = host().nowMs();
    const { stallMs } = this.#group.settings;
    const ms = stallMs > 0 ? Math.max(LEAST_GUARD_MS, Math.min(GUARD_MS, stallMs / LOOKS)) : GUARD_MS;
    host().backgroundTimer(ms, () => {
      this.#guarded = false;
      if (stallMs > 0) this.#watched.guard({ setMs: this.#setMs, late: this.#late });
      this.#late = 0;
      this.#watched.look();
      if (this.#watched.inFlight() > 0) this.#guard();
    });
  }

  /** Looks once everything of this turn is submitted, and from then on. @param sinceMs when that began (by `nowMs`) */
  lookSoon(sinceMs: number): void {
    if (this.#lookQueued) return;
    this.#lookQueued = true;
    const { stallMs } = this.#group.settings;
    soon(() => {
      this.#lookQueued = false;
      // The turn of the call was busy for so long that the timer of the guard is not even set.
      if (stallMs > 0 && !this.#guarded && host().nowMs() - sinceMs > stallMs)
        this.#watched.guard({ setMs: sinceMs, late: 0 });
      if (this.#unspun > 0) this.#unspun--;
      else if (this.#watched.inFlight() <= this.#group.settings.parallelism) this.#spin();
      this.#watch();
    });
  }

  /** Spins for the end of short invocations; the more often that is in vain, the more rarely it is done. */
  #spin(): void {
    const { words } = this.#group.memory;
    const watched = this.#watched;
    const untilMs = host().nowMs() + OWNER_SPIN_US / 1000;
    while (watched.inFlight() > 0 && host().nowMs() < untilMs) {
      const seen = load(words, C_COMPLETED);
      this.#look();
      if (watched.inFlight() > 0) while (load(words, C_COMPLETED) === seen && host().nowMs() < untilMs);
    }
    const inVain = watched.inFlight() > 0;
    this.#unspun = inVain ? this.#nextUnspun : 0;
    this.#nextUnspun = inVain ? Math.min(MAX_UNSPUN, this.#nextUnspun * 2) : 1;
  }
}
