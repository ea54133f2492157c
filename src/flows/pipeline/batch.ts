/** `batch`: collects items into arrays; runs on the calling thread. */
import { after } from '../../core/engine.js';
import { isAfter, type Rank } from '../../flow/order.js';
import { type Item, kept, madeOf, type Stage } from './item.js';
import { all } from './places.js';
import type { Run } from './run.js';

export interface BatchPlan {
  readonly size: number;
  readonly maxWaitMs: number;
}

export class Batch implements Stage {
  readonly #run: Run;
  readonly #plan: BatchPlan;
  readonly #leg: number;
  readonly #next: Stage;
  #members: Item[] = [];
  #stopTimer = (): void => {};
  #sent = 0;

  /** @param leg the number of the leg that begins here */
  constructor(run: Run, plan: BatchPlan, leg: number, next: Stage) {
    this.#run = run;
    this.#plan = plan;
    this.#leg = leg;
    this.#next = next;
  }

  push(item: Item): void {
    if (this.#run.drops(item)) return;
    const members = this.#members;
    members.push(item);
    item.hold.park();
    if (members.length === this.#plan.size) this.#send();
    else if (members.length === 1) this.#stopTimer = after(this.#plan.maxWaitMs, () => this.#send());
  }

  skip(item: Item): void {
    item.hold.release();
  }

  #send(): void {
    this.#stopTimer();
    const members = this.#members;
    this.#members = [];
    if (members.length === 0) return;
    const { leg, seq, within }: Rank = this.#run.isOrdered
      ? { leg: this.#leg, seq: this.#sent++ }
      : members.reduce((lowest, member) => (isAfter(lowest, member) ? member : lowest));
    this.#next.push({
      leg,
      seq,
      within,
      value: members.map(({ value }) => value),
      hold: all(members.map(({ hold }) => hold)),
      made: madeOf(members),
    });
  }

  end(): void {
    if (this.#run.hasFailed) this.#drop();
    else this.#send();
    this.#next.end();
  }

  /** The batch would never become full. */
  #drop(): void {
    this.#stopTimer();
    for (const { hold } of this.#members) hold.release();
    this.#members = [];
  }

  prune(): void {
    this.#members = kept(this.#members, this.#run.isCut);
    if (this.#members.length === 0) this.#stopTimer();
  }
}
