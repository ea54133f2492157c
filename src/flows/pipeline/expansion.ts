/** An item, and what a `flatMap` makes of it; runs on the calling thread. */
import type { Rank } from '../../flow/order.js';
import type { Item, MadeBy } from './item.js';
import type { Hold } from './places.js';
import { nextCall, type RunWatch } from './watch.js';

/** Its rank is that of what it makes next. */
export class Expansion implements Item {
  readonly leg: number;
  readonly seq: number;
  readonly value: unknown;
  /** Of the item; then of the latest one that it has become, if the run is observed. */
  made: MadeBy;
  /** While the run is observed: the number of the latest call. */
  call: number | undefined;
  /** That of each item that it has become, and its own until it is over. */
  readonly hold: Hold;
  /** Names its generator among those of the stage, once it is sent. */
  id = 0;
  /** Number of its items, and itself, that are left. */
  left = 1;
  /** The worker on which its generator is paused. */
  worker: number | undefined;
  readonly #within: readonly number[] | undefined;
  #made = 0;

  /** @param within which items of earlier stages it comes from, in a run that is not ordered @param call the number of the item's call */
  constructor(
    { leg, seq, value, hold, made }: Item,
    { within, call }: { readonly within: readonly number[] | undefined; readonly call: number | undefined },
    onLeave: (expansion: Expansion) => void,
  ) {
    this.leg = leg;
    this.seq = seq;
    this.value = value;
    this.made = made;
    this.call = call;
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
