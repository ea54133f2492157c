/**
 * `flatMap`: makes any number of items of an item; runs on the calling thread.
 *
 * A generator stays on the worker that has begun it. It makes some items and is paused there, until enough of them have left; to go on, a task is
 * sent to that worker. A paused generator counts as no call, and holds no permits: items that come first can begin theirs.
 */
import { after, CallSignal, Parcel } from '../../core/engine.js';
import { WorkerCrashError } from '../../core/errors.js';
import { answerIn } from '../../flow/cargo.js';
import type { Rank } from '../../flow/order.js';
import { flatTask, GONE, NOT_CLOSED, PAUSED, type PartHead, restTask } from './flat-task.js';
import type { Item, MadeBy } from './item.js';
import type { Hold } from './places.js';
import type { Reorder } from './reorder.js';
import { type CallsPlan, insert, type StageKind, type TaskStage } from './task-stage.js';
import { nextCall, type RunWatch } from './watch.js';

export interface FlatPlan extends CallsPlan {
  /** Number of items that one has become and that may not have left when it makes more. */
  readonly window: number;
  /** True if generators are paused. */
  readonly mayPause: boolean;
  /** True if a function has a scope, which ends with its task. */
  readonly hasScope: boolean;
}

/** For how long a run that has ended waits for a worker that has not begun to end a generator (milliseconds), where that may be busy with other calls. */
const END_PATIENCE_MS = 50;

/** An item, and what it becomes. Its rank is that of what it makes next. */
class Expansion implements Item {
  readonly leg: number;
  readonly seq: number;
  readonly value: unknown;
  /** Of the item; then of the latest one that it has become, if the run is observed. */
  made: MadeBy;
  /** While the run is observed: the number of the latest call. */
  call: number | undefined;
  /** That of each item that it has become, and its own until it is over. */
  readonly hold: Hold;
  /** Names its generator among those of the stage. */
  readonly id: number;
  /** Number of these that are left. */
  left = 1;
  /** True while its function has not been called. */
  isNew = true;
  /** The worker on which its generator is paused. */
  worker: number | undefined;
  readonly #within: readonly number[] | undefined;
  #made = 0;

  /** @param within which items of earlier stages it comes from, in a run that is not ordered @param call the number of the item's call */
  constructor(
    { leg, seq, value, hold, made }: Item,
    id: number,
    { within, call }: { readonly within: readonly number[] | undefined; readonly call: number | undefined },
    onLeave: (expansion: Expansion) => void,
  ) {
    this.leg = leg;
    this.seq = seq;
    this.value = value;
    this.made = made;
    this.call = call;
    this.id = id;
    this.#within = within;
    this.hold = {
      release: () => {
        this.left--;
        if (this.left === 0) hold.release();
        else onLeave(this);
      },
      park: () => hold.park(),
    };
  }

  get within(): readonly number[] | undefined {
    return this.#within && [...this.#within, this.#made];
  }

  /** The generator was asked for an item. */
  asked(watch: RunWatch | undefined): void {
    if (this.call === undefined) return;
    this.call = nextCall(this.call);
    watch?.follows(this.call, this.made);
    this.made = this.call;
  }

  /** An item that it has become. */
  make(value: unknown, watch: RunWatch | undefined): Item {
    this.asked(watch);
    const { leg, seq, within, hold, made } = this;
    this.#made++;
    this.left++;
    return { leg, seq, within, value, hold, made };
  }

  /** Its rank as it is now. */
  get rank(): Rank {
    const { leg, seq, within } = this;
    return { leg, seq, within };
  }
}

/** A task that stays open. */
interface Open {
  readonly expansion: Expansion;
  readonly signal: CallSignal;
}

export class Flat implements StageKind {
  readonly #stage: TaskStage<FlatPlan, Reorder>;
  /** Expansions that may begin, or go on. */
  #waiting: Expansion[] = [];
  /** Expansions that wait until some of their items have left. */
  readonly #paused = new Set<Expansion>();
  /** Tasks that go on until the generators are over that they have begun. */
  readonly #open = new Set<Open>();
  /** Number of generators that are being ended. */
  #endings = 0;
  #latest = 0;

  constructor(stage: TaskStage<FlatPlan, Reorder>) {
    this.#stage = stage;
  }

  accept(item: Item): void {
    const within = this.#stage.run.isOrdered ? undefined : (item.within ?? []);
    const of = { within, call: this.#stage.callOf(item) };
    const expansion = new Expansion(item, ++this.#latest, of, (left) => this.#wake(left));
    this.#stage.replaced(item, expansion);
    insert(this.#waiting, expansion);
  }

  skip(item: Item): void {
    this.#stage.next.skip(item);
  }

  /** Lets a paused generator go on once half of its items have left. */
  #wake(expansion: Expansion): void {
    if (
      expansion.left - 1 > this.#stage.plan.window / 2 ||
      this.#stage.run.isCut(expansion) ||
      !this.#paused.delete(expansion)
    )
      return;
    insert(this.#waiting, expansion);
    this.#stage.pump();
  }

  begin(): void {
    while (this.#waiting.length > 0 && this.#stage.calls.size < this.#stage.pace.tasks)
      this.#call(this.#waiting.shift() as Expansion);
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get isIdle(): boolean {
    return this.#waiting.length + this.#stage.calls.size + this.#open.size + this.#paused.size + this.#endings === 0;
  }

  #call(expansion: Expansion): void {
    if (expansion.isNew) this.#stage.meter?.began(1);
    expansion.isNew = false;
    this.#stage.start(expansion, (signal) => this.#part(expansion, signal), {
      done: (answer) => this.#receive(expansion, answer),
      failed: (error) => this.#fail(expansion, error),
    });
  }

  #part(expansion: Expansion, signal: CallSignal): Promise<Parcel> {
    const { steps, window, mayPause, hasScope } = this.#stage.plan;
    const { worker, value, left, id, call } = expansion;
    const watched = call === undefined ? [] : [this.#stage.run.watch?.graph, call];
    const count = Math.max(1, window + 1 - left);
    const onLate = (answer: Parcel): void => this.#late(expansion, answer);
    if (worker !== undefined) return this.#stage.sender.goOn(this.#restTask, { worker, signal, onLate }, id, count);
    if (hasScope && mayPause && !steps.isSynchronous) return this.#opened({ expansion, signal }, count, watched);
    return this.#stage.send(flatTask, [value], { signal, onLate }, id, count, mayPause, false, ...watched);
  }

  /** A task was cancelled that has come to its end. */
  #late(expansion: Expansion, answer: Parcel): void {
    const { head, failed } = answerIn<PartHead>(answer);
    expansion.worker = pausedOn(head);
    if (head[2] === NOT_CLOSED) this.#stage.run.earlyEnd.failed(expansion.rank, failed?.error);
  }

  get #restTask(): object {
    return this.#stage.plan.steps.isSynchronous ? restTask.sync : restTask.async;
  }

  /** Sends a task that reports the first part, unless that is all. */
  #opened(open: Open, count: number, watched: readonly unknown[]): Promise<Parcel> {
    const { expansion, signal } = open;
    return new Promise((resolve, reject) => {
      const onReport = (report: unknown): void => {
        if (!(report instanceof Parcel)) return; // of the function's own
        this.#open.add(open);
        resolve(report);
      };
      const failed = (error: unknown): void => {
        if (this.#open.has(open)) this.#stage.run.fail(expansion.rank, error);
        reject(error);
      };
      const ended = (): void => {
        if (this.#open.delete(open)) this.#stage.pump();
      };
      const onLate = (answer: Parcel): void => this.#late(expansion, answer);
      const how = { signal, onReport, onLate };
      const { value, id } = expansion;
      const task = this.#stage.send(flatTask, [value], how, id, count, true, true, ...watched);
      task.then(resolve, failed).then(ended);
    });
  }

  #receive(expansion: Expansion, parcel: Parcel): void {
    const { head, values, failed } = answerIn<PartHead>(parcel);
    const [ms, , state] = head;
    if (state === GONE) throw this.#gone();
    this.#stage.meter?.did(state === PAUSED || failed !== undefined ? 0 : 1, ms);
    if (this.#stage.run.isCut(expansion)) {
      this.#late(expansion, parcel); // in a scope, a task that was cancelled answers like any other
      this.#dispose(expansion);
      return;
    }
    expansion.worker = pausedOn(head);
    const { watch } = this.#stage.run;
    const made = values.map((value) => expansion.make(value, watch));
    if (state === PAUSED) this.#paused.add(expansion);
    else expansion.asked(watch); // and it had no more
    for (const item of made) this.#stage.next.part(item);
    if (failed !== undefined) this.#fail(expansion, failed.error);
    else if (state === PAUSED) this.#wake(expansion);
    else this.#stage.next.skip(expansion);
  }

  #gone(): WorkerCrashError {
    const { steps } = this.#stage.plan.steps;
    return new WorkerCrashError(
      `furcate: ${steps[steps.length - 1]?.called}: its generator was paused on a worker that another call has ended. Run the pipeline again, or give it a pool of its own.`,
    );
  }

  #fail(expansion: Expansion, error: unknown): void {
    if (this.#stage.run.isCut(expansion)) {
      this.#dispose(expansion); // its call was cancelled, perhaps before it had begun
      return;
    }
    const { worker } = expansion;
    expansion.worker = undefined;
    this.#stage.run.fail(expansion.rank, error);
    this.#endLost(expansion, worker, error);
    this.#stage.next.skip(expansion);
  }

  /** Ends a generator whose part has failed: if there was no room for its answer, it waits to go on. */
  #endLost(expansion: Expansion, worker: number | undefined, error: unknown): void {
    const open = [...this.#open].find((one) => one.expansion === expansion);
    if (open !== undefined) open.signal.abort(error);
    else if (worker !== undefined) this.#end(expansion, worker, () => {});
  }

  /** Lets go of an expansion that nobody needs, and ends its generator. */
  #dispose(expansion: Expansion): void {
    const { worker } = expansion;
    expansion.worker = undefined;
    if (worker === undefined) expansion.hold.release();
    else this.#end(expansion, worker, () => expansion.hold.release());
  }

  /**
   * Ends a generator. The run waits for that, but not for a worker that is busy with other calls. What has begun to end, and has not after the grace of
   * the run, is cancelled.
   *
   * @param release gives its place back, unless that is done
   */
  #end(expansion: Expansion, worker: number, release: () => void): void {
    const signal = new CallSignal();
    const { graceMs } = this.#stage.run.call;
    let isAwaited = true;
    let stopTimer = (): void => {};
    const letGo = (): void => {
      if (!isAwaited) return;
      isAwaited = false;
      this.#endings--;
      release();
      this.#stage.pump();
    };
    const ended = (): void => {
      stopTimer();
      letGo();
    };
    const answered = (answer: Parcel): void => {
      this.#late(expansion, answer);
      ended();
    };
    const onReport = (): void => {
      stopTimer();
      stopTimer = after(graceMs, () => signal.abort(this.#stage.run.reason));
    };
    this.#endings++;
    stopTimer = after(this.#stage.run.isAlone ? graceMs : Math.min(END_PATIENCE_MS, graceMs), letGo);
    this.#stage.sender.goOn(this.#restTask, { worker, signal, onReport }, expansion.id, 0).then(answered, ended); // what it is cancelled with is known
  }

  drop(): void {
    const { isCut } = this.#stage.run;
    const cut = [...this.#waiting, ...this.#paused].filter(isCut);
    this.#waiting = this.#waiting.filter((expansion) => !isCut(expansion));
    for (const expansion of cut) {
      this.#paused.delete(expansion);
      this.#dispose(expansion);
    }
  }

  cancelled(): void {
    const { isCut, reason } = this.#stage.run;
    for (const { expansion, signal } of this.#open) if (isCut(expansion)) signal.abort(reason);
  }
}

const pausedOn = ([, worker, state]: PartHead): number | undefined => (state === PAUSED ? worker : undefined);
