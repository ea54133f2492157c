/** `take` and `drop`: items by their count; runs on the calling thread. */
import type { Item, Stage } from './item.js';
import type { Run } from './run.js';

export interface SlicePlan {
  /** Number of items that are dropped first. */
  readonly from: number;
  /** Number of items that come through then. */
  readonly count: number;
}

export class Slice implements Stage {
  readonly #run: Run;
  readonly #plan: SlicePlan;
  readonly #leg: number;
  readonly #next: Stage;
  #seen = 0;

  /** @param leg the number of the leg that begins here */
  constructor(run: Run, plan: SlicePlan, leg: number, next: Stage) {
    this.#run = run;
    this.#plan = plan;
    this.#leg = leg;
    this.#next = next;
  }

  push(item: Item): void {
    if (this.#run.drops(item)) return;
    const seq = this.#seen++ - this.#plan.from;
    if (seq < 0) item.hold.release();
    else this.#next.push({ leg: this.#leg, seq, value: item.value, hold: item.hold, made: item.made });
    if (seq + 1 === this.#plan.count) this.#run.enough({ leg: this.#leg, seq }); // all others come after it
  }

  skip(item: Item): void {
    item.hold.release();
  }

  end(): void {
    this.#next.end();
  }

  prune(): void {}
}
