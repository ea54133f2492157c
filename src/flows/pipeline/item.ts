/** Items on their way, and what takes them from stage to stage; on the calling thread. */
import type { Rank } from '../../flow/order.js';
import type { Hold } from './places.js';

/** The calls that have made an item last, while a run is observed: their numbers. Undefined for an item of the source. */
export type MadeBy = number | readonly number[] | undefined;

export interface Item extends Rank {
  readonly value: unknown;
  readonly hold: Hold;
  readonly made?: MadeBy;
}

/** The calls that have made several items. */
export const madeOf = (items: readonly { readonly made?: MadeBy }[]): MadeBy =>
  items.some(({ made }) => made !== undefined) ? items.flatMap(({ made = [] }) => made) : undefined;

/** Takes items from the stage before it. */
export interface Stage {
  /** True if it takes several items at once better than one by one. */
  readonly goesTogether?: boolean;
  push(item: Item): void;
  /** An item has been dropped before this stage. Its place is given back here, or further on, when it is its turn. */
  skip(item: Item): void;
  /** No more items come. */
  end(): void;
  /** Forgets items that are cut off: what comes after a failure, or after what is enough, is of no use any more. */
  prune(): void;
}

/** Drops items that are of no use any more from a list; returns the others. */
export function kept<I extends Item>(items: readonly I[], isCut: (item: Rank) => boolean): I[] {
  return items.filter((item) => {
    if (!isCut(item)) return true;
    item.hold.release();
    return false;
  });
}
