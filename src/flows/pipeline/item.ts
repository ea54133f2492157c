/** Items on their way, and what takes them from stage to stage; on the calling thread. */
import type { Hold } from './places.js';

/**
 * Where an item stands in the order of a run.
 *
 * A run is cut into lines. Within a line `seq` counts, and every item of a later line comes before all items of an earlier one: a line lets items
 * on in their order. If the run is not ordered, `seq` is the number of the source's item, everywhere.
 */
export interface Rank {
  readonly line: number;
  readonly seq: number;
}

/** Comes before all items: a failure there is one of the whole run. */
export const WHOLE: Rank = { line: Number.POSITIVE_INFINITY, seq: -1 };

export const isAfter = (a: Rank, b: Rank): boolean => (a.line === b.line ? a.seq > b.seq : a.line < b.line);

export interface Item extends Rank {
  readonly value: unknown;
  readonly hold: Hold;
}

/** What takes items from the stage before it. */
export interface Stage {
  push(item: Item): void;
  /** An item has been dropped before this stage; it holds its place until it is its turn. */
  skip(item: Item): void;
  /** No more items come. */
  end(): void;
  /** Something has failed: what comes after it is of no use any more. */
  prune(): void;
}

/** Drops items that are of no use any more from a list; returns the others. */
export function kept<I extends Item>(items: readonly I[], isMoot: (item: Rank) => boolean): I[] {
  return items.filter((item) => {
    if (!isMoot(item)) return true;
    item.hold.release();
    return false;
  });
}
