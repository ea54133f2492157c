/** Common part of all stages whose functions run on workers; runs on the calling thread. */
import type { CallSignal, Parcel } from '../../core/engine.js';
import { type TaskEnds, TasksInFlight } from '../../flow/in-flight.js';
import type { Rank } from '../../flow/order.js';
import { type How, ofMost, Sender } from '../../flow/sender.js';
import type { TaskPair } from '../../flow/task-pair.js';
import type { Admission } from '../limit/admission.js';
import { STEPS } from './calls-task.js';
import type { Item, MadeBy, Stage } from './item.js';
import { Pace } from './pace.js';
import type { Meter } from './progress.js';
import type { Run } from './run.js';
import type { StepsPlan } from './steps.js';

/** Stages that run as one. */
export interface CallsPlan {
  readonly steps: StepsPlan;
  /** Names the buffers of an item that are of no more use on the calling thread. */
  readonly transfer: ((item: unknown) => unknown) | undefined;
  /** Number of calls that may be in progress at once; undefined if nobody cares. */
  readonly concurrency: number | undefined;
  readonly admission: Admission | undefined;
  /** True if the functions are known to return promises. */
  readonly isAsync: boolean;
}

/** Puts an item into a list where it belongs: those that come first are dealt with first. */
export function insert<I extends Item>(items: I[], item: I): void {
  let at = items.length;
  while (at > 0 && (items[at - 1] as I).seq > item.seq) at--;
  if (at === items.length) items.push(item);
  else items.splice(at, 0, item);
}

/** Operations of one kind of stage on its items. */
export interface StageKind {
  /** True if several items may go together in a task. */
  readonly goesTogether?: boolean;
  /** True if each call needs what the one before it gave. */
  readonly isSerial?: boolean;
  accept(item: Item): void;
  /** An item has been dropped before. Default: it has left. */
  skip?(item: Item): void;
  /** Begins what may begin. */
  begin(): void;
  /** Number of items that wait. */
  readonly waiting: number;
  /** True if nothing is left here. */
  readonly isIdle: boolean;
  /** Nothing is left, and nothing comes. Default: tells the next stage. */
  finish?(): void;
  /** Forgets items that are of no use any more. */
  drop(): void;
  /** Tasks were cancelled, after `drop`. */
  cancelled?(): void;
}

/** Items that are to go together. */
interface Together<I extends Item, A extends unknown[]> {
  readonly task: TaskPair<A, Parcel>;
  /** The first of the values that are sent, before those of the items: the state of a fold, or their indices. */
  before?(items: readonly I[]): readonly unknown[];
  /** Arguments of the task beside the values. */
  more(items: readonly I[]): readonly unknown[];
  /** These were sent. */
  began?(items: readonly I[]): void;
  /** As of `How`. */
  onReport?(items: readonly I[], report: unknown): void;
  onLate?(items: readonly I[], answer: Parcel): void;
  done(items: readonly I[], answer: Parcel): void;
  failed(items: readonly I[], error: unknown): void;
  /** These could not be sent with the others. */
  comeBack(items: readonly I[]): void;
}

export class TaskStage<P extends CallsPlan = CallsPlan, N extends Stage = Stage> implements Stage {
  readonly run: Run;
  readonly plan: P;
  readonly next: N;
  readonly sender: Sender<StepsPlan>;
  readonly pace: Pace;
  readonly meter: Meter | undefined;
  /** Its tasks in flight. */
  readonly calls: TasksInFlight;
  readonly #kind: StageKind;
  /** Its number, if the run is observed. */
  readonly #number: number;
  /** The latest call of a stage whose calls follow each other. */
  #latest: MadeBy;
  readonly #called: string;
  /** Times at which items have come, if a timeline is recorded. */
  readonly #arrivals: WeakMap<object, number> | undefined;
  #isEnding = false;

  constructor(run: Run, plan: P, next: N, kind: (stage: TaskStage<P, N>) => StageKind) {
    this.run = run;
    this.plan = plan;
    this.next = next;
    const { steps, transfer } = plan;
    const option = `options.transfer of ${steps.steps[0]?.stage}`;
    const called = steps.steps.map(({ stage }) => stage).join(', ');
    this.sender = new Sender(run.call, { kind: STEPS, spec: steps, transfer, option, called });
    run.counts(() => this.sender.inFlight);
    this.meter = run.meter(called);
    this.#number = run.watch?.nextStage() ?? 0;
    this.pace = new Pace(plan, run.call.parallelism);
    this.calls = new TasksInFlight(run.horizon, () => this.pump());
    run.atEnd(() => this.sender.close());
    this.#kind = kind(this);
    this.#called = called;
    if (run.notes !== undefined) {
      this.#arrivals = new WeakMap();
      run.atEnd(run.notes.gauge('items that wait', called, () => this.#kind.waiting));
      run.atEnd(run.notes.gauge('tasks in flight', called, () => this.calls.size));
    }
    run.wants(() => (this.#kind.goesTogether === true ? this.pace.places : 0));
  }

  get goesTogether(): boolean {
    return this.#kind.goesTogether === true && this.pace.isCheap;
  }

  push(item: Item): void {
    if (this.run.drops(item)) return;
    this.meter?.arrived(1);
    if (this.#arrivals !== undefined && this.run.notes !== undefined) this.#arrivals.set(item, this.run.notes.nowUs());
    this.#kind.accept(item);
    if (!this.goesTogether || !this.run.defers(this.#pumpLater)) this.pump();
  }

  /** From now on another object stands for an item. */
  replaced(item: Item, by: Item): void {
    const sinceUs = this.#arrivals?.get(item);
    if (sinceUs !== undefined) this.#arrivals?.set(by, sinceUs);
  }

  /** The first of some items that wait no more. */
  #begun(first: object, items: number): void {
    const sinceUs = this.#arrivals?.get(first);
    if (sinceUs === undefined) return;
    this.#arrivals?.delete(first);
    this.run.notes?.waited(`waiting for ${this.#called}`, sinceUs, items);
  }

  skip(item: Item): void {
    if (this.#kind.skip === undefined) item.hold.release();
    else this.#kind.skip(item);
  }

  readonly #pumpLater = (): void => this.pump();

  /** Calls from which items come that this stage makes of an item. */
  madeBy(item: Item): MadeBy {
    return this.callOf(item) ?? item.made;
  }

  /** The number of the call for an item, if the run is observed. */
  callOf(item: Item): number | undefined {
    return this.run.watch?.callOf(this.#number, item);
  }

  /** As `madeBy` of the latest item, where the calls follow each other. */
  get madeLast(): MadeBy {
    return this.#latest;
  }

  /** Arguments of `callsTask` beside the values: for how long visits hold what they add, and under which numbers an observer knows the calls. */
  called(items: readonly Item[], holdMs = 0): readonly unknown[] {
    const { watch } = this.run;
    if (watch === undefined) return holdMs === 0 ? [] : [holdMs];
    return [holdMs, watch.graph, items.map((item) => watch.callOf(this.#number, item))];
  }

  /** Items were sent. */
  began(items: readonly Item[]): void {
    const { watch } = this.run;
    if (watch === undefined) return;
    for (const item of items) {
      const call = watch.callOf(this.#number, item);
      watch.follows(call, item.made);
      if (this.#kind.isSerial !== true) continue;
      watch.follows(call, this.#latest);
      this.#latest = call ?? item.made;
    }
  }

  /** Notes how many items a task has called its functions for, in how many milliseconds, and how many of them it has done. */
  note(items: number, ms: number, isAsync: boolean, done = items): void {
    this.pace.note(items, ms, isAsync);
    this.meter?.did(done, ms);
    this.run.adjustPlaces();
  }

  /** Goes on as far as it goes. */
  pump(): void {
    this.#kind.begin();
    if (!this.#isEnding || !this.#kind.isIdle) return;
    this.#isEnding = false;
    if (this.#kind.finish === undefined) this.next.end();
    else this.#kind.finish();
  }

  end(): void {
    this.#isEnding = true;
    this.pump();
  }

  prune(): void {
    this.#kind.drop();
    this.calls.prune();
    this.#kind.cancelled?.();
  }

  /** Starts a task once it has its permits. What `send` throws, it fails with later. */
  start<A>(rank: Rank, send: (signal: CallSignal) => Promise<A>, ends: TaskEnds<A>, items = 1): void {
    const { admission } = this.plan;
    this.#begun(rank, items);
    const begin = (signal: CallSignal): Promise<A> => {
      if (admission !== undefined) return admission.run(async () => send(signal), signal);
      try {
        const pause = this.run.pause;
        return pause === undefined ? send(signal) : pause.then(() => send(signal));
      } catch (error) {
        return Promise.reject(error);
      }
    };
    const done = (answer: A): void => this.run.handOn(() => ends.done(answer));
    this.calls.start(rank, begin, { done, failed: ends.failed });
  }

  /** Sends items as one task, or the first of them, if one cannot be sent: the others come back. */
  startTogether<I extends Item, A extends unknown[]>(items: readonly I[], together: Together<I, A>): void {
    let sent = items;
    this.meter?.began(items.length);
    const { onReport, onLate } = together;
    const heard = {
      ...(onReport && { onReport: (report: unknown) => onReport(sent, report) }),
      ...(onLate && { onLate: (answer: Parcel) => onLate(sent, answer) }),
    };
    const send = (signal: CallSignal): Promise<Parcel> => {
      const [some, answer] = ofMost(items, 1, (some) => {
        const given = some.map(({ value }) => value);
        const values = [...(together.before?.(some) ?? []), ...given];
        return this.send(together.task, values, { ...heard, signal, items: given }, ...together.more(some));
      });
      sent = some;
      together.began?.(sent);
      if (sent.length < items.length) {
        this.unbegun(items.length - sent.length);
        together.comeBack(items.slice(sent.length));
      }
      return answer;
    };
    const done = (answer: Parcel): void => together.done(sent, answer);
    const failed = (error: unknown): void => together.failed(sent, error);
    this.start(items[0] as Item, send, { done, failed }, items.length);
  }

  /** So many items that a task was to begin wait again. */
  unbegun(items: number): void {
    this.meter?.began(-items);
  }

  /**
   * Sends values as one task.
   *
   * @param items those of the values whose buffers may be transferred
   * @throws as `Sender`
   */
  send<A extends unknown[]>(
    task: TaskPair<A, Parcel>,
    values: readonly unknown[],
    { items, ...how }: How & { readonly items?: readonly unknown[] },
    ...more: readonly unknown[]
  ): Promise<Parcel> {
    const { steps, isSynchronous } = this.plan.steps;
    const names = { packed: () => `an item for ${steps[0]?.called}`, moved: () => 'an item' };
    const load = this.sender.pack(values, names, items);
    this.pace.noteSent(values.length, load.parcel.bytes.byteLength);
    this.meter?.sent(load.parcel.bytes.byteLength);
    return this.sender.send(isSynchronous ? task.sync : task.async, load, how, ...more);
  }
}
