/**
 * Lets items on in their order, whatever order they arrive in; there, a leg of their way ends. In a run that is not ordered, they go on at once.
 *
 * An item that waits for its turn holds its place in flight, and so does one that was dropped: item k + inFlight is not read before item k has
 * left.
 */
import type { Rank } from '../../flow/order.js';
import { type Item, kept, type Stage } from './item.js';
import { type Hold, NO_HOLD } from './places.js';
import type { Run } from './run.js';

/** Items that one item has become so far. */
interface Turn extends Rank {
  items: Item[];
  /** That of the item itself, once all that it has become is here. */
  hold: Hold | undefined;
}

export class Reorder implements Stage {
  readonly #run: Run;
  readonly #leg: number;
  readonly #next: Stage;
  readonly #waiting = new Map<number, Turn>();
  /** Number of the item whose turn it is. */
  #turn = 0;
  #sent = 0;

  /** @param leg the number of the leg that begins here */
  constructor(run: Run, leg: number, next: Stage) {
    this.#run = run;
    this.#leg = leg;
    this.#next = next;
  }

  /** One of several items that an item becomes; `skip` says that there are no more. */
  part(item: Item): void {
    if (this.#run.drops(item)) return;
    if (!this.#run.isOrdered) this.#next.push(item);
    else if (item.seq === this.#turn) this.#send(item);
    else this.#turnOf(item).items.push(item);
  }

  push(item: Item): void {
    this.part(item);
    if (this.#run.isOrdered) this.#over(item, NO_HOLD);
  }

  skip(item: Item): void {
    if (this.#run.drops(item)) return;
    if (!this.#run.isOrdered) item.hold.release();
    else this.#over(item, item.hold);
  }

  /** All that an item has become is here. */
  #over(rank: Rank, hold: Hold): void {
    if (this.#run.isCut(rank)) return; // what has been sent may have ended the run
    if (rank.seq !== this.#turn || this.#waiting.has(rank.seq)) {
      this.#turnOf(rank).hold = hold;
      if (rank.seq === this.#turn) this.#advance();
    } else {
      this.#turn++;
      hold.release();
      if (this.#waiting.size > 0) this.#advance();
    }
  }

  #turnOf({ leg, seq }: Rank): Turn {
    const known = this.#waiting.get(seq);
    if (known !== undefined) return known;
    const turn = { leg, seq, items: [], hold: undefined };
    this.#waiting.set(seq, turn);
    return turn;
  }

  #send({ value, hold, made }: Item): void {
    this.#next.push({ leg: this.#leg, seq: this.#sent++, value, hold, made });
  }

  #advance(): void {
    for (let turn = this.#waiting.get(this.#turn); turn !== undefined; turn = this.#waiting.get(this.#turn)) {
      const { items, hold } = turn;
      turn.items = [];
      for (const item of items) this.#send(item);
      if (hold === undefined) return; // more of it comes
      this.#waiting.delete(this.#turn++);
      hold.release();
    }
  }

  end(): void {
    this.#next.end();
  }

  prune(): void {
    for (const turn of this.#waiting.values()) {
      turn.items = kept(turn.items, this.#run.isCut);
      if (!this.#run.isCut(turn)) continue;
      turn.hold?.release();
      this.#waiting.delete(turn.seq);
    }
  }
}
