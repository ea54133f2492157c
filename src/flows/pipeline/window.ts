/** `window`: arrays of items in a row, each of which begins some items after the one before; runs on the calling thread. */
import { isAfter, type Rank } from '../../flow/order.js';
import { type Item, type MadeBy, madeOf, type Stage } from './item.js';
import type { Run } from './run.js';

export interface WindowPlan {
  readonly size: number;
  /** Distance between the starts of two windows, in items. */
  readonly step: number;
}

/** A window holds the place of its last item. Those before it are kept without a place, as the state of a `scan` is. */
export class Window implements Stage {
  readonly #run: Run;
  readonly #plan: WindowPlan;
  readonly #leg: number;
  readonly #next: Stage;
  #members: (Rank & { readonly value: unknown; readonly made?: MadeBy })[] = [];
  /** Number of items that are left out before the next window. */
  #toSkip = 0;
  #sent = 0;

  /** @param leg the number of the leg that begins here */
  constructor(run: Run, plan: WindowPlan, leg: number, next: Stage) {
    this.#run = run;
    this.#plan = plan;
    this.#leg = leg;
    this.#next = next;
  }

  push({ hold, ...member }: Item): void {
    const { size, step } = this.#plan;
    const isMember = !this.#run.isCut(member) && this.#toSkip === 0;
    if (this.#toSkip > 0) this.#toSkip--;
    if (isMember && this.#members.push(member) === size) {
      const members = this.#members;
      this.#members = members.slice(step);
      this.#toSkip = Math.max(0, step - size);
      const made = madeOf(members);
      this.#next.push({ ...this.#rankOf(members), value: members.map(({ value }) => value), hold, made });
      return;
    }
    hold.release();
  }

  #rankOf(members: readonly Rank[]): Rank {
    if (this.#run.isOrdered) return { leg: this.#leg, seq: this.#sent++ };
    const { leg, seq, within } = members.reduce((lowest, member) => (isAfter(lowest, member) ? member : lowest));
    return { leg, seq, within };
  }

  skip(item: Item): void {
    item.hold.release();
  }

  end(): void {
    this.#next.end();
  }

  prune(): void {
    this.#members = this.#members.filter((member) => !this.#run.isCut(member));
  }
}
