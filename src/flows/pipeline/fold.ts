/** `scan` and `reduce`: one call after the other, whose state travels with them by value; runs on the calling thread. */
import type { Parcel } from '../../core/engine.js';
import { answerIn } from '../../flow/cargo.js';
import { ownCopy } from '../../flow/returned.js';
import { type CallsHead, callsTask } from './calls-task.js';
import { type Item, kept } from './item.js';
import { NO_HOLD } from './places.js';
import type { CallsPlan, StageKind, TaskStage } from './task-stage.js';

export interface FoldPlan extends CallsPlan {
  readonly initial: unknown;
  /** True if each state is an item of its own; otherwise the last one is the only item. */
  readonly isScan: boolean;
}

/** All that wait may go together: the calls are made one after the other anyway. Fewer if they take long. */
export class Fold implements StageKind {
  readonly goesTogether = true;
  readonly isSerial = true;
  readonly #stage: TaskStage<FoldPlan>;
  #state: unknown;
  #waiting: Item[] = [];

  constructor(stage: TaskStage<FoldPlan>) {
    this.#stage = stage;
    this.#state = stage.plan.initial;
  }

  accept(item: Item): void {
    this.#waiting.push(item);
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get isIdle(): boolean {
    return this.#waiting.length + this.#stage.calls.size === 0;
  }

  begin(): void {
    if (this.#stage.calls.size > 0 || this.#waiting.length === 0) return;
    const items = this.#waiting.splice(0, this.#stage.pace.items(Number.POSITIVE_INFINITY));
    this.#stage.startTogether(items, {
      task: callsTask,
      before: () => [this.#state],
      more: (some) => this.#stage.called(some),
      began: (some) => this.#stage.began(some),
      done: (sent, answer) => this.#receive(sent, answer),
      failed: (sent, error) => this.#drop(sent, error),
      comeBack: (others) => this.#giveBack(others),
    });
  }

  finish(): void {
    if (!this.#stage.plan.isScan && !this.#stage.run.hasFailed)
      this.#stage.next.push({
        leg: Number.MAX_VALUE,
        seq: 0,
        value: this.#state,
        hold: NO_HOLD,
        made: this.#stage.madeLast,
      });
    this.#stage.next.end();
  }

  #receive(items: readonly Item[], parcel: Parcel): void {
    const { head, values: states, failed } = answerIn<CallsHead>(parcel);
    const [done, ms, isAsync] = head;
    this.#stage.note(done, ms, isAsync);
    if (states.length > 0) this.#state = this.#ownState(states[states.length - 1]);
    for (const [k, item] of items.slice(0, done).entries()) {
      const { leg, seq, within, hold } = item;
      if (this.#stage.plan.isScan)
        this.#stage.next.push({ leg, seq, within, value: states[k], hold, made: this.#stage.madeBy(item) });
      else hold.release();
    }
    if (failed !== undefined) this.#drop(items.slice(done), failed.error);
  }

  /** The last state. An object that leaves as an item belongs to whoever gets it, so a copy stays here. */
  #ownState(last: unknown): unknown {
    return this.#stage.plan.isScan ? ownCopy(last) : last;
  }

  /** The first of these items has failed. In order, the others come after it; if not, some of them may come before it. */
  #drop([first, ...others]: readonly Item[], error: unknown): void {
    this.#stage.run.fail(first as Item, error);
    (first as Item).hold.release();
    this.#giveBack(kept(others, this.#stage.run.isCut));
  }

  #giveBack(items: readonly Item[]): void {
    this.#waiting = [...items, ...this.#waiting];
  }

  drop(): void {
    this.#waiting = kept(this.#waiting, this.#stage.run.isCut);
  }
}
