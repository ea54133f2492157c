/** `distinct`: the first item of each key; runs on the calling thread. */
import type { Item, Stage } from './item.js';
import type { Run } from './run.js';
import { withStage } from './step.js';

export interface DistinctPlan {
  readonly by: (item: unknown) => unknown;
  /** Value of `stage` in errors that `by` throws. */
  readonly stage: string;
}

export class Distinct implements Stage {
  readonly #run: Run;
  readonly #plan: DistinctPlan;
  readonly #leg: number;
  readonly #next: Stage;
  readonly #seen = new Set<unknown>();
  #sent = 0;

  /** @param leg the number of the leg that begins here */
  constructor(run: Run, plan: DistinctPlan, leg: number, next: Stage) {
    this.#run = run;
    this.#plan = plan;
    this.#leg = leg;
    this.#next = next;
  }

  push(item: Item): void {
    if (this.#run.drops(item)) return;
    const before = this.#seen.size;
    try {
      this.#seen.add(this.#plan.by(item.value));
    } catch (error) {
      this.#run.fail(item, withStage(error, this.#plan.stage));
    }
    // `by` may have ended the run.
    if (this.#seen.size === before || this.#run.isCut(item)) item.hold.release();
    else this.#next.push(this.#run.isOrdered ? { ...item, leg: this.#leg, seq: this.#sent++ } : item);
  }

  skip(item: Item): void {
    item.hold.release();
  }

  end(): void {
    this.#next.end();
  }

  prune(): void {}
}
