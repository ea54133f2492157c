/**
 * `flatMap`: makes any number of items of an item; runs on the calling thread.
 *
 * A generator stays on the worker that has begun it. It makes some items and is paused there, until enough of them have left; to go on, a task is
 * sent to that worker. A paused generator counts as no call, and holds no permits: items that come first can begin theirs.
 */
import { after, CallSignal, unpackOutcome } from '../../core/engine.js';
import { WorkerCrashError } from '../../core/errors.js';
import { type CallsPlan, insert, Pace, started } from './calls.js';
import { valuesIn } from './calls-task.js';
import {
  asyncEndTask,
  asyncFlatTask,
  asyncRestTask,
  endTask,
  flatTask,
  GONE,
  type PartAnswer,
  partIn,
  restTask,
} from './flat-task.js';
import type { Item, Stage } from './item.js';
import type { Line } from './line.js';
import type { Hold } from './places.js';
import type { Run } from './run.js';
import { Sender } from './sender.js';

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

/** A call that runs. */
interface Call {
  readonly group: Group;
  readonly signal: CallSignal;
}

export class Flat implements Stage {
  readonly #run: Run;
  readonly #plan: FlatPlan;
  readonly #next: Line;
  readonly #sender: Sender;
  readonly #pace: Pace;
  /** Groups that may begin, or go on. */
  #waiting: Group[] = [];
  /** Groups that wait until some of their items have left. */
  readonly #paused = new Set<Group>();
  readonly #calls = new Set<Call>();
  /** Tasks that go on until the generators are over that they have begun. */
  readonly #open = new Set<Call>();
  /** How many generators are being ended. */
  #endings = 0;
  /** Whether a call was cancelled, which may have paused a generator that nobody knows of. */
  #wasAborted = false;
  #isEnding = false;

  constructor(run: Run, plan: FlatPlan, next: Line) {
    this.#run = run;
    this.#plan = plan;
    this.#next = next;
    this.#sender = new Sender(run.lease, plan);
    this.#pace = new Pace(plan, run.call.parallelism);
    run.atEnd(() => this.#sender.close());
  }

  push(item: Item): void {
    if (this.#run.drops(item)) return;
    insert(this.#waiting, new Group(item, (group) => this.#wake(group)));
    this.#pump();
  }

  skip(item: Item): void {
    this.#next.skip(item);
  }

  /** Lets a paused generator go on once half of its items have left. */
  #wake(group: Group): void {
    if (group.left - 1 > this.#plan.window / 2 || this.#run.isMoot(group) || !this.#paused.delete(group)) return;
    insert(this.#waiting, group);
    this.#pump();
  }

  #pump(): void {
    while (this.#waiting.length > 0 && this.#calls.size < this.#pace.tasks) this.#call(this.#waiting.shift() as Group);
    const left = this.#waiting.length + this.#calls.size + this.#open.size + this.#paused.size + this.#endings;
    if (!this.#isEnding || left > 0) return;
    if (this.#wasAborted) {
      this.#wasAborted = false;
      const { isSynchronous } = this.#plan.steps;
      const task = isSynchronous ? endTask : asyncEndTask;
      this.#finish((signal) => this.#sender.onEach(task, this.#run.call.parallelism, signal));
    } else {
      this.#isEnding = false;
      this.#next.end();
    }
  }

  #call(group: Group): void {
    const call = { group, signal: new CallSignal() };
    this.#calls.add(call);
    started(this.#plan.admission, call.signal, () => this.#start(call)).then(
      (answer) => this.#ended(call, () => this.#receive(group, answer)),
      (error: unknown) => this.#ended(call, () => this.#fail(group, error)),
    );
  }

  #start(call: Call): Promise<PartAnswer> {
    const { group, signal } = call;
    const { steps, window, mayPause, hasScope } = this.#plan;
    const { paused, value, left } = group;
    const count = Math.max(1, window + 1 - left);
    if (paused !== undefined) return this.#goOn(paused, signal, count);
    if (steps.isSynchronous) return this.#sender.send<PartAnswer>(flatTask, [value], { signal }, count, mayPause);
    if (hasScope && mayPause) return this.#begin(call, count);
    return this.#sender.send<PartAnswer>(asyncFlatTask, [value], { signal }, count, mayPause, false);
  }

  #goOn(paused: NonNullable<Group['paused']>, signal: CallSignal, count: number): Promise<PartAnswer> {
    const task = this.#plan.steps.isSynchronous ? restTask : asyncRestTask;
    return this.#sender.goOn<PartAnswer>(task, paused, signal, count);
  }

  /** Sends a task that reports the first part, unless that is all. */
  #begin(call: Call, count: number): Promise<PartAnswer> {
    const { group, signal } = call;
    return new Promise((resolve, reject) => {
      const onReport = (report: unknown): void => {
        const first = partIn(report);
        if (first === undefined) return;
        this.#open.add(call);
        resolve(first);
      };
      const how = { signal, onReport };
      const task = this.#sender.send<PartAnswer>(asyncFlatTask, [group.value], how, count, true, true);
      const failed = (error: unknown): void => {
        if (this.#open.has(call)) this.#run.fail(group, error);
        reject(error);
      };
      const ended = (): void => {
        if (this.#open.delete(call)) this.#pump();
      };
      task.then(resolve, failed).then(ended);
    });
  }

  #ended(call: Call, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#fail(call.group, error);
    }
    this.#calls.delete(call);
    this.#pump();
  }

  #receive(group: Group, [, worker, rest, packed, failure]: PartAnswer): void {
    if (rest === GONE) throw this.#gone();
    const values = valuesIn(packed);
    const failed = failure && unpackOutcome(failure);
    const { line, seq, hold } = group;
    group.paused = rest > 0 ? { worker, rest } : undefined;
    if (this.#run.isMoot(group)) {
      this.#dispose(group);
      return;
    }
    group.left += values.length;
    if (rest > 0) this.#paused.add(group);
    for (const value of values) this.#next.part({ line, seq, value, hold });
    if (failed !== undefined) this.#fail(group, failed.value);
    else if (rest === 0) this.#next.skip(group);
    else this.#wake(group);
  }

  #gone(): WorkerCrashError {
    const { steps } = this.#plan.steps;
    return new WorkerCrashError(
      `furcate: ${steps[steps.length - 1]?.called}: its generator was paused on a worker that another call has ended. Run the pipeline again, or give it a pool of its own.`,
    );
  }

  #fail(group: Group, error: unknown): void {
    this.#run.fail(group, error);
    this.#next.skip(group);
  }

  /** Lets go of a group that nobody needs, and ends its generator. */
  #dispose(group: Group): void {
    const { paused } = group;
    group.paused = undefined;
    if (paused === undefined) {
      group.hold.release();
      return;
    }
    this.#finish((signal) => this.#goOn(paused, signal, 0), group);
  }

  /** Ends generators. What has not ended after the grace of the run is cancelled; at once, it might not even begin. */
  #finish(end: (signal: CallSignal) => Promise<unknown>, group?: Group): void {
    this.#endings++;
    const signal = new CallSignal();
    const stopGrace = after(this.#run.lease.graceMs, () => signal.abort(this.#run.reason));
    const ended = (): void => {
      stopGrace();
      this.#endings--;
      group?.hold.release();
      this.#pump();
    };
    end(signal).then(ended, ended); // the run has an error already
  }

  end(): void {
    this.#isEnding = true;
    this.#pump();
  }

  prune(): void {
    const { isMoot } = this.#run;
    const moot = [...this.#waiting, ...this.#paused].filter(isMoot);
    this.#waiting = this.#waiting.filter((group) => !isMoot(group));
    for (const group of moot) {
      this.#paused.delete(group);
      this.#dispose(group);
    }
    for (const { group, signal } of this.#calls) {
      if (!isMoot(group)) continue;
      this.#wasAborted ||= this.#plan.mayPause;
      signal.abort(this.#run.reason);
    }
    for (const { group, signal } of this.#open) if (isMoot(group)) signal.abort(this.#run.reason);
  }
}
