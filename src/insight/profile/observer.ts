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
import { hooks, host, local, type Observer, type RecordHome, taskLabel } from '../../core/engine.js';
import { BetweenCalls } from './between.js';
import { CallPlaces } from './call-places.js';
import { aheadUs, leastReadUs, nowUs } from './clock.js';
import { type Label, labelOf, later, type Point, START } from './point.js';
import { contexts, type ObservedNode, OUTSIDE, ProfileMark, ProfileStrand, type RunningThread } from './strand.js';
import type { ProfileAccount } from './totals.js';
import type { StageUsed } from './usage.js';

/** `charge` says what is spent. */
export const CHARGED = 1;
/** The clock says what is spent (microseconds). */
export const TIMED = 2;

type ObservedSlot = Parameters<typeof hooks.observer>[1];
type GraphOfNode = Parameters<Observer['node']>[0];

/** Data that `ended` needs. */
interface Begun {
  readonly strand: ProfileStrand;
  readonly point: Point;
  readonly beside: Point;
  readonly label: Label;
  /** As the journal has them. */
  readonly forks: number;
}

interface ForkPoint {
  readonly strand: ProfileStrand;
  readonly point: Point;
  /** Its number in the journal. */
  readonly fork: number | undefined;
  /** Time of the begin, by the clock of this thread. */
  readonly us: number;
}

/** A chunk of units is timed in so many parts or somewhat more, whose ends are multiples of a power of two: so chunks of several runs have ends in common. */
const PARTS = 8;

export class ProfileObserver implements Observer, RunningThread {
  readonly mode: number;
  readonly isFine: boolean;
  readonly seesForks = true;
  now: ProfileStrand;
  /** Fork points of the tasks on the private stack. */
  readonly #forks: (ForkPoint | undefined)[] = [];
  /** `local.forks` at the last look. */
  #seen = local.forks;
  readonly #isTimed: boolean;
  #lastUs = 0;
  #waits = false;
  /** Runs units of an algorithm: outside of tasks only they count, since the caller does a short call itself. */
  #runsUnits = false;
  /** The coroutines whose nodes have run, which they do after an `await`, too. */
  readonly #coroutines = new WeakMap<GraphOfNode, ProfileStrand>();
  /** Is in each time that was measured. */
  readonly #readUs: number;
  /** Offset of the clock of all threads from that of this thread. */
  readonly #aheadUs: number;
  /** Stages of the pipelines that have run. */
  readonly stages: StageUsed[] = [];
  readonly calls = new CallPlaces();
  /** Bytes that this thread has copied for calls with arrays that are not shared. */
  copiedBytes = 0;
  readonly #isWorker: boolean;
  /** Of the thread that called `profile`. */
  readonly #between: BetweenCalls | undefined;
  readonly #garbage: { end(): void } | undefined;

  /** @param own of a worker */
  constructor(mode: number, own?: ObservedSlot) {
    this.mode = mode;
    this.isFine = mode === CHARGED;
    this.#isTimed = mode === TIMED;
    this.#readUs = this.#isTimed ? leastReadUs() : 0;
    this.#aheadUs = this.#isTimed ? aheadUs() : 0;
    this.now = new ProfileStrand(this, undefined, OUTSIDE, { isTimed: this.#isTimed, leave() {} });
    this.#isWorker = own !== undefined;
    this.#between = own === undefined && this.#isTimed ? new BetweenCalls() : undefined;
    const tell = (_: number, ms: number): void => own?.counters.count('garbageUs', Math.round(1000 * ms));
    this.#garbage = own && this.#isTimed ? host().recording?.().onCollected(tell) : undefined;
  }

  called(...call: Parameters<CallPlaces['add']>): void {
    this.calls.add(...call);
  }

  stops(): void {
    this.#garbage?.end();
  }

  /** A pool is about to be given something, by the thread that called `profile`. */
  uses: ((home: RecordHome) => void) | undefined;

  /** The strand that the running code belongs to. @throws Error where that cannot be told */
  strand(call: string): ProfileStrand {
    if (!this.now.isOutside) return this.now;
    const strand = this.#here;
    if (!strand.isOutside) return strand;
    if (!contexts.isKnown && hooks.awaits())
      throw new Error(
        `furcate: ${call} after an await in an asynchronous task, on a platform without AsyncLocalStorage: call it before the await, or in a synchronous task.`,
      );
    return strand;
  }

  /** As `strand`: what is outside of all tasks, where that cannot be told. */
  get #here(): ProfileStrand {
    return this.now.isOutside ? (contexts.here() ?? this.now) : this.now;
  }

  looked(): void {
    if (this.#seen === local.forks) return;
    this.#seen = local.forks;
    this.switched();
    const { now } = this;
    now.totals.forks++;
    const fork = now.journal?.fork();
    this.#forks[local.sp - 1] = { strand: now, point: now.point, fork, us: this.#lastUs };
    this.#goesOn();
  }

  published(): void {
    this.#goesOn();
  }

  begins(position: number, task: object): Begun {
    this.switched();
    const { now } = this;
    const { point, beside, label } = now;
    const fork = this.#forkAt(position);
    if (fork !== undefined) now.point = fork.point;
    now.beside = START;
    const forks = now.journal?.begin(fork?.fork ?? now.journal.fork()) ?? 0;
    this.#enter(task);
    const begun = { strand: now, point, beside, label, forks };
    this.#goesOn();
    return begun;
  }

  ended(begun: object): void {
    this.switched();
    const { strand, point, beside, label, forks } = begun as Begun;
    strand.journal?.end(forks);
    strand.meet();
    strand.point = later(point, strand.point);
    strand.beside = beside;
    strand.label = label;
    this.#goesOn();
  }

  /** The fork at a position, if what runs now has forked it. */
  #forkAt(position: number): ForkPoint | undefined {
    const fork = this.#forks[position];
    return fork?.strand === this.now ? fork : undefined;
  }

  apart(task?: object, record?: number): ProfileStrand {
    const waits = this.#waits;
    this.switched();
    const { now } = this;
    const isTimed = this.#isTimed;
    const strand: ProfileStrand = new ProfileStrand(this, now, now.isOutside ? OUTSIDE : now.label, {
      isTimed,
      leave: () => {
        this.switched();
        if (now.isOutside) this.#between?.ranHere(this.#lastUs - begunUs);
        if (strand.stolen !== undefined) strand.stolen.toUs = this.#lastUs + this.#aheadUs;
        this.now = now;
        this.#waits = waits;
      },
    });
    this.now = strand;
    if (task !== undefined) this.#enter(task);
    this.#goesOn();
    const begunUs = this.#lastUs;
    if (isTimed && record !== undefined) {
      const us = this.#lastUs + this.#aheadUs;
      strand.stolen = { fromUs: us, toUs: us };
    }
    return strand;
  }

  #enter(task: object): void {
    const { name, url, isOfLibrary } = taskLabel(task);
    if (isOfLibrary) return; // a task of the library belongs to the algorithm that has forked it
    const label = labelOf(name, url);
    this.now.label = label;
    this.now.journal?.task(label);
    this.now.totals.row(label).tasks++;
    this.now.totals.tasks++;
  }

  waits(): void {
    this.switched();
    this.#waits = true;
  }

  noted(): void {}

  beside(what?: string, about = 0): void {
    if (what === 'copy') this.copiedBytes += about;
  }

  joined(position: number, account: object | undefined): void {
    const hasWaited = this.#waits;
    this.switched();
    const { now } = this;
    const fork = this.#forkAt(position);
    if (account !== undefined) {
      const { stolen } = account as ProfileAccount;
      if (stolen !== undefined && fork !== undefined) {
        now.totals.times.steals.push(stolen.fromUs - this.#aheadUs - fork.us);
        if (hasWaited) now.totals.times.returns.push(this.#lastUs + this.#aheadUs - stolen.toUs);
      }
      now.add(account as ProfileAccount, fork?.point ?? now.point, fork?.fork);
    }
    this.#goesOn();
  }

  mark(): ProfileMark {
    const { now } = this;
    if (this.#between === undefined || now.journal === undefined || !now.isOutside)
      return new ProfileMark(now, now.point, now.journal?.fork());
    return new ProfileMark(now, now.point, ...this.#between.handed(now.journal));
  }

  units(lo: number, hi: number, calls: string, run: (lo: number, hi: number) => number | undefined): number {
    this.switched();
    const { now } = this;
    const { label, beside, point } = now;
    const [runsUnits, begun] = [this.#runsUnits, now.totals.work];
    this.#runsUnits = true;
    if (calls !== '') now.label = labelOf(calls, '');
    const row = now.totals.row(now.label);
    const part = this.isFine ? 1 : 2 ** Math.max(0, Math.floor(Math.log2((hi - lo) / PARTS)));
    let latest = beside;
    let elements = 0;
    const place = now.journal?.place();
    try {
      for (let unit = lo; unit < hi; ) {
        const end = Math.min(hi, (Math.floor(unit / part) + 1) * part);
        now.point = point;
        now.beside = START;
        row.tasks += calls === '' ? 0 : end - unit;
        const { work } = now.totals;
        const before = now.journal?.place();
        this.#goesOn();
        const ran = run(unit, end);
        this.switched();
        now.meet();
        const cost = (now.point.cost - point.cost) / (end - unit);
        latest = later(latest, end - unit === 1 ? now.point : point.plus(now.label, cost));
        if (before !== undefined && ran === undefined) now.journal?.back(before);
        else if (before !== undefined) now.journal?.units(before, now.label, unit, end, now.totals.work - work, cost);
        elements += ran ?? 0;
        unit = end;
      }
    } catch (error) {
      if (place !== undefined) now.journal?.back(place);
      throw error;
    } finally {
      now.point = point;
      now.beside = latest;
      now.label = label;
      this.#runsUnits = runsUnits;
      if (now.isOutside) this.#between?.ranHere(now.totals.work - begun);
      this.#goesOn();
    }
    return elements;
  }

  stageEnded(): void {
    this.switched();
    this.now.meet();
    this.now.journal?.meet();
    this.#goesOn();
  }

  node<R>(of: GraphOfNode, node: number, name: string, run: () => R): R {
    this.switched();
    const { now } = this;
    if (now.isCoroutine) this.#coroutines.set(of, now);
    const coroutine = now.isOutside || now.isCoroutine ? this.#coroutines.get(of) : undefined;
    const graph = of.job;
    if (coroutine !== undefined) return this.#part(coroutine, [graph, node, name], run);
    if (now.isOutside && this.#isWorker) return run(); // nobody knows of which task
    const { point, beside, label } = now;
    const { work } = now.totals;
    now.label = labelOf(name, '');
    now.beside = START;
    now.totals.row(now.label).tasks++;
    const place = now.journal?.place();
    this.#goesOn();
    try {
      return run();
    } finally {
      this.switched();
      now.meet();
      const cost = now.point.cost - point.cost;
      now.totals.nodes.push([graph, node, name, cost]);
      if (place !== undefined) now.journal?.units(place, now.label, node, node + 1, now.totals.work - work, cost);
      now.point = point;
      now.beside = beside;
      now.label = label;
      this.#goesOn();
    }
  }

  /** Runs a node in a coroutine: what it does after an `await`, and what it forks, counts for the node, too. */
  #part<R>(coroutine: ProfileStrand, node: ObservedNode, run: () => R): R {
    const { now } = this;
    const leave = (): void => {
      this.switched();
      this.now = now;
    };
    const part = coroutine.part(node, leave);
    this.now = part;
    this.#goesOn();
    try {
      return part.run(run);
    } finally {
      part.leave();
      this.#goesOn();
    }
  }

  graphEnded(graph: number, edges: () => Iterable<readonly [before: number, after: number]>): void {
    this.switched();
    this.now.graphEnds(graph, edges());
    this.#goesOn();
  }

  flows(): ReturnType<NonNullable<Observer['flows']>> {
    this.switched();
    const strand = this.#here;
    const { point } = strand;
    this.#goesOn();
    return {
      ended: (stages, graph, edges) => {
        this.stages.push(...stages);
        this.switched();
        strand.graphEnds(graph, edges, point);
        this.#goesOn();
      },
    };
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

  /** Ends the interval of what runs now: it has run up to now. */
  switched(): void {
    if (!this.#isTimed) return;
    const us = nowUs();
    if (this.#waits) this.now.totals.times.waitUs += us - this.#lastUs;
    else if (!this.now.isOutside || this.#runsUnits) this.now.spend(Math.max(0, us - this.#lastUs - this.#readUs));
    this.#waits = false;
    this.#lastUs = us;
  }

  /** The clock stands still while this counts. */
  #goesOn(): void {
    if (this.#isTimed) this.#lastUs = nowUs();
  }
}
