/**
 * `expand`: visits items, and what the visits add; runs on the calling thread.
 *
 * Items that nobody has visited, the frontier, hold no place in flight, or nothing could be visited once they were many. An item of the source
 * keeps its place until it is visited. A visit takes a place, for what it becomes.
 *
 * What a visit adds is on its way at once, as reports of its task. Visits that are short keep it until they end, because each report costs some us. In a scope,
 * all do: reports of its tasks go to the listener of its invocation.
 */
import type { Parcel } from '../../core/engine.js';
import { RejectedExecutionError } from '../../core/errors.js';
import { answerIn } from '../../flow/cargo.js';
import type { Rank } from '../../flow/order.js';
import { type CallsHead, callsTask, fedIn } from './calls-task.js';
import { type Item, kept, type MadeBy } from './item.js';
import type { Hold } from './places.js';
import { Queue } from './queue.js';
import { withStage } from './step.js';
import type { CallsPlan, StageKind, TaskStage } from './task-stage.js';

export interface ExpandPlan extends CallsPlan {
  readonly uniqueBy: ((item: unknown) => unknown) | undefined;
  readonly maxPending: number;
}

/** Visits that take less keep what they add until they end (milliseconds). */
const SHORT_VISIT_MS = 0.2;

export class Expand implements StageKind {
  readonly goesTogether = true;
  readonly #stage: TaskStage<ExpandPlan>;
  readonly #leg: number;
  readonly #seen = new Set<unknown>();
  /** Items that come from the source, with their places. */
  readonly #given = new Queue<Item>();
  /** Items that visits have added. */
  readonly #added = new Queue<{ readonly value: unknown; readonly key: unknown; readonly made: MadeBy }>();
  /** The keys of those that are to be visited. */
  readonly #promised = new Set<unknown>();
  #begun = 0;
  /** Visits that could not be sent with others. */
  #again: Item[] = [];
  /** True if what the source can give at once is visited before what visits have added. Otherwise the frontier stays small. */
  readonly #isBreadthFirst: boolean;

  /** @param leg the number of the leg that begins here */
  constructor(stage: TaskStage<ExpandPlan>, leg: number) {
    this.#stage = stage;
    this.#leg = leg;
    this.#isBreadthFirst = stage.plan.concurrency === 1;
    if (this.#isBreadthFirst) stage.run.onRead(() => stage.pump());
    else stage.run.onRoom(() => stage.pump());
  }

  accept(item: Item): void {
    try {
      const isNew = this.#isNew(this.#keyOf(item.value), true);
      if (this.#stage.run.drops(item)) return; // `uniqueBy` may have ended the run
      if (isNew) this.#given.add(item);
      else {
        this.#stage.meter?.arrived(-1);
        item.hold.release();
      }
    } catch (error) {
      this.#stage.run.fail(item, error);
      item.hold.release();
    }
  }

  /**
   * Checks whether an item is the first of its key. Breadth first, one of the source takes the place of one that was added and is not visited
   * yet.
   */
  #isNew(key: unknown, isGiven: boolean): boolean {
    if (this.#stage.plan.uniqueBy === undefined) return true;
    const takesPlace = isGiven && this.#isBreadthFirst && this.#promised.delete(key);
    if (this.#seen.has(key) && !takesPlace) return false;
    this.#seen.add(key);
    if (!isGiven) this.#promised.add(key);
    return true;
  }

  #keyOf(value: unknown): unknown {
    try {
      return this.#stage.plan.uniqueBy?.(value);
    } catch (error) {
      throw withStage(error, this.#stage.plan.steps.steps[0]?.stage ?? '');
    }
  }

  get waiting(): number {
    return this.#given.size + this.#added.size + this.#again.length;
  }

  get isIdle(): boolean {
    return this.#stage.calls.size + this.waiting === 0;
  }

  begin(): void {
    while (this.#stage.calls.size < this.#stage.pace.tasks) {
      const visits = this.#next(this.#stage.pace.items(this.waiting));
      if (visits.length === 0) break;
      this.#visit(visits);
    }
  }

  /** Up to so many visits that may begin. */
  #next(most: number): Item[] {
    const visits = this.#again.splice(0, most);
    while (visits.length < most) {
      const mayVisitAdded = this.#added.size > 0 && this.#stage.run.places.hasRoom;
      const sourceFirst = this.#isBreadthFirst && (this.#given.size > 0 || this.#stage.run.isReading);
      if (mayVisitAdded && !sourceFirst) {
        const { value, key, made } = this.#added.take() as { value: unknown; key: unknown; made: MadeBy };
        if (this.#stage.plan.uniqueBy === undefined || this.#promised.delete(key))
          visits.push(this.#visitOf(value, this.#stage.run.places.take(), made));
        else this.#stage.meter?.arrived(-1);
      } else if (this.#given.size > 0) {
        const { value, hold, made } = this.#given.take() as Item;
        visits.push(this.#visitOf(value, hold, made));
      } else break;
    }
    return visits;
  }

  #visitOf(value: unknown, hold: Hold, made: MadeBy): Item {
    return { leg: this.#leg, seq: this.#begun++, value, hold, made };
  }

  #visit(visits: readonly Item[]): void {
    const isInScope = this.#stage.run.call.scope !== undefined;
    const shortMs = this.#stage.pace.isShorterThan(SHORT_VISIT_MS) ? SHORT_VISIT_MS : 0;
    // Breadth first, what the first of several adds comes before what the others add.
    const holdMs = isInScope || (this.#isBreadthFirst && visits.length > 1) ? Number.POSITIVE_INFINITY : shortMs;
    this.#stage.startTogether(visits, {
      task: callsTask,
      more: (some) => this.#stage.called(some, holdMs),
      began: (some) => this.#stage.began(some),
      ...(isInScope ? {} : { onReport: (sent, report) => this.#hear(sent, report) }),
      done: (sent, answer) => this.#receive(sent, answer),
      failed: (sent, error) => this.#drop(sent, error),
      comeBack: (others) => {
        this.#again = [...others, ...this.#again];
      },
    });
  }

  /** The first of these has failed: the others come after it. */
  #drop([first, ...others]: readonly Item[], error: unknown): void {
    this.#stage.run.fail(first as Item, error);
    this.#stage.next.skip(first as Item);
    this.#again = [...kept(others, this.#stage.run.isCut), ...this.#again];
  }

  /** One of the visits that went together has reported something. @throws what it fails with then, and is cancelled with */
  #hear(visits: readonly Item[], report: unknown): void {
    const [k = 0, ...items] = fedIn(report) ?? [];
    const visit = visits[k] as Item;
    try {
      for (const item of items) this.#add(item, visit);
    } catch (error) {
      this.#stage.run.fail(visit, error);
      throw error;
    }
    this.#stage.pump();
  }

  #receive(visits: readonly Item[], parcel: Parcel): void {
    const { head, values, failed } = answerIn<CallsHead>(parcel);
    const [done, ms, isAsync, counts] = head;
    this.#stage.note(done, ms, isAsync);
    let at = 0;
    for (const [k, visit] of visits.slice(0, done).entries()) {
      const [value, ...added] = values.slice(at, at + (counts?.[k] ?? 1));
      at += 1 + added.length;
      this.#visited(visit, value, added);
    }
    if (failed !== undefined) this.#drop(visits.slice(done), failed.error);
  }

  #visited(visit: Item, value: unknown, added: readonly unknown[]): void {
    const { leg, seq, hold } = visit;
    try {
      for (const item of added) this.#add(item, visit);
      this.#stage.next.push({ leg, seq, value, hold, made: this.#stage.madeBy(visit) });
    } catch (error) {
      this.#drop([visit], error);
    }
  }

  /** @param by the visit that has added it */
  #add(value: unknown, by: Item): void {
    if (this.#stage.run.isCut(this.#last)) return;
    const key = this.#keyOf(value);
    if (this.#stage.run.isCut(this.#last) || !this.#isNew(key, false)) return; // `uniqueBy` may end the run
    const { maxPending } = this.#stage.plan;
    if (this.#added.size >= maxPending) {
      throw new RejectedExecutionError(
        `furcate: ${this.#stage.plan.steps.steps[0]?.called} has added so many items that more than maxPending = ${maxPending} wait for their visits. Raise it, or add less.`,
      );
    }
    this.#stage.meter?.arrived(1);
    this.#added.add({ value, key, made: this.#stage.madeBy(by) });
  }

  drop(): void {
    const { isCut } = this.#stage.run;
    for (const item of kept(this.#given.clear(), isCut)) this.#given.add(item);
    this.#again = kept(this.#again, isCut);
    if (isCut(this.#last)) this.#added.clear(); // what nobody has visited comes after all visits
  }

  /** Comes after all visits. */
  get #last(): Rank {
    return { leg: this.#leg, seq: Number.POSITIVE_INFINITY };
  }
}
