/**
 * `flatMap`: makes any number of items of an item; runs on the calling thread.
 *
 * A generator stays on the worker that has begun it. It makes some items and is paused there, until enough of them have left; to go on, a task is
 * sent to that worker. A paused generator counts as no call, and holds no permits: items that come first can begin theirs.
 */
import { after, CallSignal, Parcel } from '../../core/engine.js';
import { WorkerCrashError } from '../../core/errors.js';
import { answerIn } from '../../flow/cargo.js';
import { endTask, flatTask, GONE, type PartHead, restTask } from './flat-task.js';
import type { Item } from './item.js';
import type { Line } from './line.js';
import type { Hold } from './places.js';
import { type CallsPlan, insert, type StageKind, type TaskStage } from './task-stage.js';

export interface FlatPlan extends CallsPlan {
  /** How many items that one has become may not have left when it makes more. */
  readonly window: number;
  /** Whether generators are paused. */
  readonly mayPause: boolean;
  /** Whether a function has a scope, which ends with its task. */
  readonly hasScope: boolean;
}

/** An item, and what it becomes. */
class Group implements Item {
  readonly line: number;
  readonly seq: number;
  readonly value: unknown;
  /** That of each item that it has become, and its own until it is over. */
  readonly hold: Hold;
  /** How many of these are left. */
  left = 1;
  /** Where its generator is paused. */
  paused: { readonly worker: number; readonly rest: number } | undefined;

  constructor({ line, seq, value, hold }: Item, onLeave: (group: Group) => void) {
    this.line = line;
    this.seq = seq;
    this.value = value;
    this.hold = {
      release: () => {
        this.left--;
        if (this.left === 0) hold.release();
        else onLeave(this);
      },
      park: () => hold.park(),
    };
  }
}

/** A task that stays open. */
interface Open {
  readonly group: Group;
  readonly signal: CallSignal;
}

export class Flat implements StageKind {
  readonly #stage: TaskStage<FlatPlan, Line>;
  /** Groups that may begin, or go on. */
  #waiting: Group[] = [];
  /** Groups that wait until some of their items have left. */
  readonly #paused = new Set<Group>();
  /** Tasks that go on until the generators are over that they have begun. */
  readonly #open = new Set<Open>();
  /** How many generators are being ended. */
  #endings = 0;
  /** Whether a call was cancelled, which may have paused a generator that nobody knows of. */
  #wasAborted = false;

  constructor(stage: TaskStage<FlatPlan, Line>) {
    this.#stage = stage;
  }

  accept(item: Item): void {
    insert(this.#waiting, new Group(item, (group) => this.#wake(group)));
  }

  skip(item: Item): void {
    this.#stage.next.skip(item);
  }

  /** Lets a paused generator go on once half of its items have left. */
  #wake(group: Group): void {
    if (group.left - 1 > this.#stage.plan.window / 2 || this.#stage.run.isMoot(group) || !this.#paused.delete(group))
      return;
    insert(this.#waiting, group);
    this.#stage.pump();
  }

  begin(): void {
    while (this.#waiting.length > 0 && this.#stage.calls.size < this.#stage.pace.tasks)
      this.#call(this.#waiting.shift() as Group);
  }

  get isIdle(): boolean {
    return this.#waiting.length + this.#stage.calls.size + this.#open.size + this.#paused.size + this.#endings === 0;
  }

  finish(): void {
    if (!this.#wasAborted) {
      this.#stage.next.end();
      return;
    }
    this.#wasAborted = false;
    const task = this.#stage.plan.steps.isSynchronous ? endTask.sync : endTask.async;
    this.#end((signal) => this.#stage.sender.onEach(task, this.#stage.run.call.parallelism, signal));
    this.#stage.end(); // again, once that is done
  }

  #call(group: Group): void {
    this.#stage.start(group, (signal) => this.#part(group, signal), {
      done: (answer) => this.#receive(group, answer),
      failed: (error) => this.#fail(group, error),
    });
  }

  #part(group: Group, signal: CallSignal): Promise<Parcel> {
    const { steps, window, mayPause, hasScope } = this.#stage.plan;
    const { paused, value, left } = group;
    const count = Math.max(1, window + 1 - left);
    if (paused !== undefined) return this.#goOn(paused, signal, count);
    const staysOpen = hasScope && mayPause && !steps.isSynchronous;
    if (staysOpen) return this.#opened({ group, signal }, count);
    return this.#stage.send(flatTask, [value], { signal }, count, mayPause, false);
  }

  #goOn(paused: NonNullable<Group['paused']>, signal: CallSignal, count: number): Promise<Parcel> {
    const task = this.#stage.plan.steps.isSynchronous ? restTask.sync : restTask.async;
    return this.#stage.sender.goOn(task, paused, signal, count);
  }

  /** Sends a task that reports the first part, unless that is all. */
  #opened(open: Open, count: number): Promise<Parcel> {
    const { group, signal } = open;
    return new Promise((resolve, reject) => {
      const onReport = (report: unknown): void => {
        if (!(report instanceof Parcel)) return; // of the function's own
        this.#open.add(open);
        resolve(report);
      };
      const failed = (error: unknown): void => {
        if (this.#open.has(open)) this.#stage.run.fail(group, error);
        reject(error);
      };
      const ended = (): void => {
        if (this.#open.delete(open)) this.#stage.pump();
      };
      const task = this.#stage.send(flatTask, [group.value], { signal, onReport }, count, true, true);
      task.then(resolve, failed).then(ended);
    });
  }

  #receive(group: Group, parcel: Parcel): void {
    const { head, values, failed } = answerIn<PartHead>(parcel);
    const [, worker, rest] = head;
    if (rest === GONE) throw this.#gone();
    const { line, seq, hold } = group;
    group.paused = rest > 0 ? { worker, rest } : undefined;
    if (this.#stage.run.isMoot(group)) {
      this.#dispose(group);
      return;
    }
    group.left += values.length;
    if (rest > 0) this.#paused.add(group);
    for (const value of values) this.#stage.next.part({ line, seq, value, hold });
    if (failed !== undefined) this.#fail(group, failed.error);
    else if (rest === 0) this.#stage.next.skip(group);
    else this.#wake(group);
  }

  #gone(): WorkerCrashError {
    const { steps } = this.#stage.plan.steps;
    return new WorkerCrashError(
      `furcate: ${steps[steps.length - 1]?.called}: its generator was paused on a worker that another call has ended. Run the pipeline again, or give it a pool of its own.`,
    );
  }

  #fail(group: Group, error: unknown): void {
    this.#stage.run.fail(group, error);
    this.#stage.next.skip(group);
  }

  /** Lets go of a group that nobody needs, and ends its generator. */
  #dispose(group: Group): void {
    const { paused } = group;
    group.paused = undefined;
    if (paused === undefined) {
      group.hold.release();
      return;
    }
    this.#end((signal) => this.#goOn(paused, signal, 0), group);
  }

  /** Ends generators. What has not ended after the grace of the run is cancelled; at once, it might not even begin. */
  #end(end: (signal: CallSignal) => Promise<unknown>, group?: Group): void {
    this.#endings++;
    const signal = new CallSignal();
    const stopGrace = after(this.#stage.run.lease.graceMs, () => signal.abort(this.#stage.run.reason));
    const ended = (): void => {
      stopGrace();
      this.#endings--;
      group?.hold.release();
      this.#stage.pump();
    };
    end(signal).then(ended, ended); // the run has an error already
  }

  drop(): void {
    const { isMoot } = this.#stage.run;
    const moot = [...this.#waiting, ...this.#paused].filter(isMoot);
    this.#waiting = this.#waiting.filter((group) => !isMoot(group));
    for (const group of moot) {
      this.#paused.delete(group);
      this.#dispose(group);
    }
  }

  cancelled(tasks: number): void {
    this.#wasAborted ||= tasks > 0 && this.#stage.plan.mayPause;
    const { isMoot, reason } = this.#stage.run;
    for (const { group, signal } of this.#open) if (isMoot(group)) signal.abort(reason);
  }
}
