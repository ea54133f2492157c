/**
 * Counts what the tasks of this thread cost: work and span, by the model of Cilk (Leiserson 2010); on every thread that is observed.
 *
 * Work is the sum of what was spent. A strand has a *point*: what the costliest way costs from the begin of its task. A fork remembers the
 * point. When the task is joined, the strand goes on from the later one of its own point and of the end of the task, which began at the
 * point of the fork. So the result follows from forks and joins alone, whoever ran what, and in whatever order.
 *
 * ```
 *   spend 2    fork a    spend 3    join a (5)    spend 1
 *   0 -------> 2 ------> 2 -------> 5 ----------> 7 -----> 8      max(5, 2 + 5) = 7
 * ```
 *
 * In place, a task goes on in the strand of the thread, from the point of its fork. Apart, it has a strand of its own, whose account comes to the
 * join. Units of an algorithm all begin at one point (`units`), however many of them a thread takes at once: so the span is that of the finest cut.
 */
import { contextVariable, hooks, local, type Observer, taskLabel } from '../../core/engine.js';
import { type Label, later, type Point, START } from './point.js';
import { OUTSIDE, ProfileMark, ProfileStrand, type RunningThread } from './strand.js';
import { labelOf, type ProfileAccount } from './totals.js';

/** `charge` says what is spent. */
export const CHARGED = 1;
/** The clock says what is spent (microseconds). */
export const TIMED = 2;

/** What `ended` needs. */
interface Begun {
  readonly strand: ProfileStrand;
  readonly point: Point;
  readonly beside: Point;
  readonly label: Label;
}

interface ForkPoint {
  readonly strand: ProfileStrand;
  readonly point: Point;
}

/** The strand of a coroutine, for what it does after an `await`. */
let ofCoroutines: ReturnType<typeof contextVariable>;

const nowUs = (): number => performance.now() * 1000;

export class ProfileObserver implements Observer, RunningThread {
  readonly mode: number;
  readonly isFine: boolean;
  readonly seesForks = true;
  now: ProfileStrand;
  /** Where the tasks on the private stack were forked. */
  readonly #forks: (ForkPoint | undefined)[] = [];
  /** `local.forks` at the last look. */
  #seen = local.forks;
  readonly #isTimed: boolean;
  #lastUs = 0;
  #waits = false;

  constructor(mode: number) {
    this.mode = mode;
    this.isFine = mode === CHARGED;
    this.#isTimed = mode === TIMED;
    this.now = new ProfileStrand(this, undefined, OUTSIDE, () => {});
  }

  /** The strand that the running code belongs to. @throws Error where that cannot be told */
  strand(call: string): ProfileStrand {
    if (!this.now.isOutside) return this.now;
    const strand = ofCoroutines?.get() as ProfileStrand | undefined;
    if (strand !== undefined) return strand;
    if (ofCoroutines === undefined && hooks.awaits())
      throw new Error(
        `furcate: ${call} after an await in an asynchronous task, on a platform without AsyncLocalStorage: call it before the await, or in a synchronous task.`,
      );
    return this.now;
  }

  looked(): void {
    if (this.#seen === local.forks) return;
    this.#seen = local.forks;
    this.switched();
    const { now } = this;
    now.totals.forks++;
    this.#forks[local.sp - 1] = { strand: now, point: now.point };
    this.#goesOn();
  }

  begins(position: number, task: object): Begun {
    this.switched();
    const { now } = this;
    const { point, beside, label } = now;
    const fork = this.#forks[position];
    if (fork?.strand === now) now.point = fork.point;
    now.beside = START;
    this.#enter(task);
    this.#goesOn();
    return { strand: now, point, beside, label };
  }

  ended(begun: object): void {
    this.switched();
    const { strand, point, beside, label } = begun as Begun;
    strand.meet();
    strand.point = later(point, strand.point);
    strand.beside = beside;
    strand.label = label;
    this.#goesOn();
  }

  apart(task?: object): ProfileStrand {
    const waits = this.#waits;
    this.switched();
    const { now } = this;
    const strand: ProfileStrand = new ProfileStrand(this, now, now.isOutside ? OUTSIDE : now.label, () => {
      this.switched();
      this.now = now;
      this.#waits = waits;
    });
    this.now = strand;
    if (task !== undefined) this.#enter(task);
    this.#goesOn();
    return strand;
  }

  #enter(task: object): void {
    const { name, url, isOfLibrary } = taskLabel(task);
    if (isOfLibrary) return; // a task of the library belongs to the algorithm that has forked it
    const label = labelOf(name, url);
    this.now.label = label;
    this.now.totals.row(label).tasks++;
    this.now.totals.tasks++;
  }

  waits(): void {
    this.switched();
    this.#waits = true;
  }

  noted(): void {}

  beside(): void {}

  joined(position: number, account: object | undefined): void {
    this.switched();
    const { now } = this;
    const fork = this.#forks[position];
    if (account !== undefined) now.add(account as ProfileAccount, fork?.strand === now ? fork.point : now.point);
    this.#goesOn();
  }

  mark(): ProfileMark {
    return new ProfileMark(this.now, this.now.point);
  }

  within<R>(strand: ProfileStrand, body: () => R): R {
    ofCoroutines ??= contextVariable();
    return ofCoroutines === undefined ? body() : ofCoroutines.run(strand, body);
  }

  units(lo: number, hi: number, calls: string, run: (lo: number, hi: number) => number): number {
    this.switched();
    const { now } = this;
    const { label, beside, point } = now;
    if (calls !== '') now.label = labelOf(calls, '');
    const row = now.totals.row(now.label);
    const step = this.isFine ? 1 : hi - lo;
    let latest = beside;
    let elements = 0;
    try {
      for (let unit = lo; unit < hi; unit += step) {
        now.point = point;
        now.beside = START;
        row.tasks += calls === '' ? 0 : 1;
        this.#goesOn();
        elements += run(unit, unit + step);
        this.switched();
        now.meet();
        latest = later(latest, step === 1 ? now.point : point.plus(now.label, (now.point.cost - point.cost) / step));
      }
    } finally {
      now.point = point;
      now.beside = latest;
      now.label = label;
      this.#goesOn();
    }
    return elements;
  }

  stageEnded(): void {
    this.now.meet();
  }

  aside<R>(run: () => R): [value: R, cost: number] {
    this.switched();
    const { now } = this;
    const { point, beside } = now;
    this.#goesOn();
    try {
      const value = run();
      this.switched();
      now.meet();
      return [value, now.point.cost - point.cost];
    } finally {
      now.point = point;
      now.beside = beside;
      this.#goesOn();
    }
  }

  advance(calls: string, cost: number): void {
    this.now.point = this.now.point.plus(labelOf(calls, ''), cost);
  }

  /** What runs now has run up to now. */
  switched(): void {
    if (!this.#isTimed) return;
    const us = nowUs();
    if (!this.#waits && !this.now.isOutside) this.now.spend(us - this.#lastUs);
    this.#waits = false;
    this.#lastUs = us;
  }

  /** The clock stands still while this counts. */
  #goesOn(): void {
    if (this.#isTimed) this.#lastUs = nowUs();
  }
}
