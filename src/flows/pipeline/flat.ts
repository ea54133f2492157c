/**
 * `flatMap`: makes any number of items of an item; runs on the calling thread.
 *
 * A generator stays on the worker that has begun it. It makes some items and is paused there, until enough of them have left; to go on, a task is
 * sent to that worker. A paused generator counts as no call, and holds no permits: items that come first can begin theirs.
 */
import { after, CallSignal, Parcel } from '../../core/engine.js';
import { WorkerCrashError } from '../../core/errors.js';
import { answerIn } from '../../flow/cargo.js';
import type { TaskEnds } from '../../flow/in-flight.js';
import { Expansion } from './expansion.js';
import { flatTask, GONE, NOT_CLOSED, OVER, PAUSED, type PartHead, restTask } from './flat-task.js';
import type { Item } from './item.js';
import type { Reorder } from './reorder.js';
import { type CallsPlan, insert, type StageKind, type TaskStage } from './task-stage.js';

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

/** A task that stays open. */
interface Open {
  readonly expansion: Expansion;
  readonly signal: CallSignal;
}

export class Flat implements StageKind {
  readonly goesTogether = true;
  readonly #stage: TaskStage<FlatPlan, Reorder>;
  /** Expansions that may begin, or go on. */
  #waiting: Expansion[] = [];
  /** Expansions that wait until some of their items have left. */
  readonly #paused = new Set<Expansion>();
  /** Tasks that go on until the generators are over that they have begun. */
  readonly #opens = new Set<Open>();
  /** Number of generators that are being ended. */
  #endings = 0;
  #latest = 0;

  constructor(stage: TaskStage<FlatPlan, Reorder>) {
    this.#stage = stage;
  }

  accept(item: Item): void {
    const within = this.#stage.run.isOrdered ? undefined : (item.within ?? []);
    const of = { within, call: this.#stage.callOf(item) };
    const expansion = new Expansion(item, of, (left) => this.#wake(left));
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
    const { calls, pace } = this.#stage;
    while (this.#waiting.length > 0 && calls.size < pace.tasks) {
      const [first] = this.#waiting as [Expansion];
      if (first.worker !== undefined) this.#goOn(this.#waiting.shift() as Expansion, first.worker);
      else if (this.#staysOpen) this.#open(this.#waiting.shift() as Expansion);
      else this.#send(this.#waiting.splice(0, this.#together()));
    }
  }

  /** Number of the expansions in front that may begin in one task. */
  #together(): number {
    const most = this.#stage.pace.items(this.#waiting.length);
    let count = 1;
    while (count < most && this.#waiting[count]?.worker === undefined) count++;
    return count;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get isIdle(): boolean {
    return this.#waiting.length + this.#stage.calls.size + this.#opens.size + this.#paused.size + this.#endings === 0;
  }

  /** Begins some, as one task. */
  #send(expansions: readonly Expansion[]): void {
    const { window, mayPause } = this.#stage.plan;
    this.#stage.startTogether(expansions, {
      task: flatTask,
      more: (some) => [this.#named(some), window, mayPause, false, ...this.#watched(some)],
      onLate: (sent, answer) => this.#late(sent, answer),
      done: (sent, answer) => this.#receive(sent, answer),
      failed: (sent, error) => this.#drop(sent, error),
      comeBack: (others) => this.#giveBack(others),
    });
  }

  /** Gives numbers in a row to generators; returns the first. */
  #named(expansions: readonly Expansion[]): number {
    const first = this.#latest + 1;
    for (const expansion of expansions) expansion.id = ++this.#latest;
    return first;
  }

  /** Under which numbers an observer knows the calls. */
  #watched(expansions: readonly Expansion[]): readonly unknown[] {
    const { watch } = this.#stage.run;
    return watch === undefined ? [] : [watch.graph, expansions.map(({ call }) => call)];
  }

  #goOn(expansion: Expansion, worker: number): void {
    const count = Math.max(1, this.#stage.plan.window + 1 - expansion.left);
    const onLate = (answer: Parcel): void => this.#late([expansion], answer);
    const send = (signal: CallSignal): Promise<Parcel> =>
      this.#stage.sender.goOn(this.#restTask, { worker, signal, onLate }, expansion.id, count);
    this.#stage.start(expansion, send, this.#endsOf(expansion));
  }

  #endsOf(expansion: Expansion): TaskEnds<Parcel> {
    return {
      done: (answer) => this.#receive([expansion], answer),
      failed: (error) => this.#drop([expansion], error),
    };
  }

  /** True if tasks go on until their generators are over, because a function has their scope. */
  get #staysOpen(): boolean {
    const { steps, mayPause, hasScope } = this.#stage.plan;
    return hasScope && mayPause && !steps.isSynchronous;
  }

  /** A task was cancelled that has come to its end. */
  #late(sent: readonly Expansion[], answer: Parcel): void {
    const { head, failed } = answerIn<PartHead>(answer);
    const [, worker, , , states] = head;
    for (const [k, state] of states.entries()) this.#left(sent[k] as Expansion, state, worker, failed?.error);
  }

  /** Notes where a generator is, and what it has thrown when it was ended. */
  #left(expansion: Expansion, state: number, worker: number, error: unknown): void {
    expansion.worker = state === PAUSED ? worker : undefined;
    if (state === NOT_CLOSED) this.#stage.run.earlyEnd.failed(expansion.rank, error);
  }

  get #restTask(): object {
    return this.#stage.plan.steps.isSynchronous ? restTask.sync : restTask.async;
  }

  /** Begins one in a task that reports the first part, unless that is all. */
  #open(expansion: Expansion): void {
    this.#stage.meter?.began(1);
    this.#stage.start(expansion, (signal) => this.#opened({ expansion, signal }), this.#endsOf(expansion));
  }

  #opened(open: Open): Promise<Parcel> {
    const { expansion, signal } = open;
    return new Promise((resolve, reject) => {
      const onReport = (report: unknown): void => {
        if (!(report instanceof Parcel)) return; // of the function's own
        this.#opens.add(open);
        resolve(report);
      };
      const failed = (error: unknown): void => {
        if (this.#opens.has(open)) this.#stage.run.fail(expansion.rank, error);
        reject(error);
      };
      const ended = (): void => {
        if (this.#opens.delete(open)) this.#stage.pump();
      };
      const onLate = (answer: Parcel): void => this.#late([expansion], answer);
      const how = { signal, onReport, onLate };
      const { value } = expansion;
      const more = [this.#named([expansion]), this.#stage.plan.window, true, true, ...this.#watched([expansion])];
      const task = this.#stage.send(flatTask, [value], how, ...more);
      task.then(resolve, failed).then(ended);
    });
  }

  #receive(sent: readonly Expansion[], parcel: Parcel): void {
    const { head, values, failed } = answerIn<PartHead>(parcel);
    const [ms, worker, isAsync, counts, states] = head;
    if (states[0] === GONE) throw this.#gone();
    const begun = sent.slice(0, counts.length);
    const areNew = begun[0]?.worker === undefined;
    const whole = failed === undefined ? states : states.slice(0, -1);
    const over = whole.filter((state) => state === OVER).length;
    this.#stage.note(areNew ? begun.length : 0, ms, isAsync, over);
    if (areNew) this.#stage.pace.noteMade(begun.length, parcel.bytes.byteLength);
    this.#stage.unbegun(sent.length - begun.length);
    this.#giveBack(sent.slice(begun.length));
    let at = 0;
    for (const [k, expansion] of begun.entries()) {
      const some = values.slice(at, at + (counts[k] as number));
      at += some.length;
      this.#left(expansion, states[k] as number, worker, failed?.error);
      // In a scope, a task that was cancelled answers like any other.
      if (this.#stage.run.isCut(expansion)) this.#dispose(expansion);
      else this.#handOn(expansion, some, k === begun.length - 1 ? failed : undefined);
    }
  }

  /** Hands on what an expansion has become now, and what it has failed with then. */
  #handOn(expansion: Expansion, values: readonly unknown[], failed: { readonly error: unknown } | undefined): void {
    const { watch } = this.#stage.run;
    const isPaused = expansion.worker !== undefined;
    const made = values.map((value) => expansion.make(value, watch));
    if (isPaused) this.#paused.add(expansion);
    else expansion.asked(watch); // and it had no more
    for (const item of made) this.#stage.next.part(item);
    if (failed !== undefined) this.#fail(expansion, failed.error);
    else if (isPaused) this.#wake(expansion);
    else this.#stage.next.skip(expansion);
  }

  #gone(): WorkerCrashError {
    const { steps } = this.#stage.plan.steps;
    return new WorkerCrashError(
      `furcate: ${steps[steps.length - 1]?.called}: its generator was paused on a worker that another call has ended. Run it again, or in a pool of its own.`,
    );
  }

  /** The first of these has failed. Others may come before it where there is no order. */
  #drop([first, ...others]: readonly Expansion[], error: unknown): void {
    this.#fail(first as Expansion, error);
    this.#giveBack(others);
  }

  /** Lets these begin anew, unless nobody needs them. */
  #giveBack(expansions: readonly Expansion[]): void {
    for (const expansion of expansions) {
      const { worker } = expansion;
      if (this.#stage.run.isCut(expansion)) {
        this.#dispose(expansion);
        continue;
      }
      expansion.worker = undefined;
      if (worker !== undefined) this.#end(expansion, worker, () => {}); // it was begun by a task that was cancelled
      insert(this.#waiting, expansion);
    }
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
    const open = [...this.#opens].find((one) => one.expansion === expansion);
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
      this.#late([expansion], answer);
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
    for (const { expansion, signal } of this.#opens) if (isCut(expansion)) signal.abort(reason);
  }
}
