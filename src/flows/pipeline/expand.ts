/**
 * `expand`: visits items, and what the visits add; runs on the calling thread.
 *
 * Items that nobody has visited, the frontier, hold no place in flight, or nothing could be visited once they were many. An item of the source
 * keeps its place until it is visited. A visit takes a place, for what it becomes.
 *
 * What a visit adds is on its way at once, as reports of its task. Visits that are short keep it until they end, because each report costs some us. In a scope,
 * all do: reports of its tasks go to the listener of its invocation.
 */
import { CallSignal } from '../../core/engine.js';
import { RejectedExecutionError } from '../../core/errors.js';
import { type CallsPlan, Pace, started } from './calls.js';
import { asyncCallsTask, type CallsAnswer, callsTask, fedIn, valuesIn } from './calls-task.js';
import { type Item, kept, type Rank, type Stage } from './item.js';
import type { Hold } from './places.js';
import { Queue } from './queue.js';
import type { Run } from './run.js';
import { Sender } from './sender.js';
import { withStage } from './steps.js';

export interface ExpandPlan extends CallsPlan {
  readonly uniqueBy: ((item: unknown) => unknown) | undefined;
  readonly maxPending: number;
}

/** Visits that take less keep what they add until they end (milliseconds). */
const SHORT_VISIT_MS = 0.2;

/** A visit in flight. */
interface Visit extends Item {
  readonly signal: CallSignal;
}

export class Expand implements Stage {
  readonly #run: Run;
  readonly #plan: ExpandPlan;
  readonly #line: number;
  readonly #next: Stage;
  readonly #sender: Sender;
  readonly #pace: Pace;
  readonly #seen = new Set<unknown>();
  /** Items that come from the source, with their places. */
  readonly #given = new Queue<Item>();
  /** What visits have added. */
  readonly #added = new Queue<unknown>();
  readonly #visits = new Set<Visit>();
  #begun = 0;
  #isEnding = false;

  /** @param line the number of the line that begins here */
  constructor(run: Run, plan: ExpandPlan, line: number, next: Stage) {
    this.#run = run;
    this.#plan = plan;
    this.#line = line;
    this.#next = next;
    this.#sender = new Sender(run.lease, plan);
    this.#pace = new Pace(plan, run.call.parallelism);
    run.atEnd(() => this.#sender.close());
    run.onRoom(() => this.#pump());
  }

  push(item: Item): void {
    if (this.#run.drops(item)) return;
    try {
      const isNew = this.#isNew(item.value);
      if (this.#run.drops(item)) return; // `uniqueBy` may have ended the run
      if (isNew) this.#given.add(item);
      else item.hold.release();
    } catch (error) {
      this.#run.fail(item, error);
      item.hold.release();
    }
    this.#pump();
  }

  skip(item: Item): void {
    item.hold.release();
  }

  #isNew(value: unknown): boolean {
    const { uniqueBy } = this.#plan;
    if (uniqueBy === undefined) return true;
    const key = this.#keyOf(uniqueBy, value);
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  #keyOf(uniqueBy: (item: unknown) => unknown, value: unknown): unknown {
    try {
      return uniqueBy(value);
    } catch (error) {
      throw withStage(error, this.#plan.steps.steps[0]?.stage ?? '');
    }
  }

  #pump(): void {
    while (this.#visits.size < this.#pace.tasks) {
      if (this.#added.size > 0 && this.#run.places.hasRoom) this.#visit(this.#added.take(), this.#run.places.take());
      else if (this.#given.size > 0) {
        const { value, hold } = this.#given.take() as Item;
        this.#visit(value, hold);
      } else break;
    }
    if (!this.#isEnding || this.#visits.size + this.#added.size + this.#given.size > 0) return;
    this.#isEnding = false;
    this.#next.end();
  }

  #visit(value: unknown, hold: Hold): void {
    const signal = new CallSignal();
    const visit: Visit = { line: this.#line, seq: this.#begun++, value, hold, signal };
    this.#visits.add(visit);
    const task = this.#plan.steps.isSynchronous ? callsTask : asyncCallsTask;
    const isInScope = this.#run.call.scope !== undefined;
    const how = isInScope ? { signal } : { signal, onReport: (report: unknown) => this.#hear(visit, report) };
    const start = (): Promise<CallsAnswer> => {
      const shortMs = this.#pace.isShorterThan(SHORT_VISIT_MS) ? SHORT_VISIT_MS : 0;
      return this.#sender.send<CallsAnswer>(task, [value], how, isInScope ? Number.POSITIVE_INFINITY : shortMs);
    };
    started(this.#plan.admission, signal, start).then(
      (answer) => this.#ended(visit, () => this.#receive(visit, answer)),
      (error: unknown) => this.#ended(visit, () => this.#fail(visit, error)),
    );
  }

  #ended(visit: Visit, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#fail(visit, error);
    }
    this.#visits.delete(visit);
    this.#pump();
  }

  #fail(visit: Visit, error: unknown): void {
    this.#run.fail(visit, error);
    this.#next.skip(visit);
  }

  /** A visit that runs has reported something. @throws what it fails with then, and is cancelled with */
  #hear(visit: Visit, report: unknown): void {
    try {
      for (const item of fedIn(report) ?? []) this.#add(item);
    } catch (error) {
      this.#run.fail(visit, error);
      throw error;
    }
    this.#pump();
  }

  #receive({ line, seq, hold }: Visit, [, ms, isAsync, , packed]: CallsAnswer): void {
    this.#pace.note(1, ms, isAsync);
    const [value, ...added] = valuesIn(packed);
    for (const item of added) this.#add(item);
    this.#next.push({ line, seq, value, hold });
  }

  #add(value: unknown): void {
    if (this.#run.isMoot(this.#last) || !this.#isNew(value) || this.#run.isMoot(this.#last)) return; // `uniqueBy` may end the run
    const { maxPending } = this.#plan;
    if (this.#added.size >= maxPending) {
      throw new RejectedExecutionError(
        `furcate: ${this.#plan.steps.steps[0]?.called} has added so many items that more than maxPending = ${maxPending} wait for their visits. Raise it, or let visits add less.`,
      );
    }
    this.#added.add(value);
  }

  end(): void {
    this.#isEnding = true;
    this.#pump();
  }

  prune(): void {
    const { isMoot, reason } = this.#run;
    for (const item of kept(this.#given.clear(), isMoot)) this.#given.add(item);
    if (isMoot(this.#last)) this.#added.clear(); // what nobody has visited comes after all visits
    for (const visit of this.#visits) if (isMoot(visit)) visit.signal.abort(reason);
  }

  /** Comes after all visits. */
  get #last(): Rank {
    return { line: this.#line, seq: Number.POSITIVE_INFINITY };
  }
}
