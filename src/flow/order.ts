/** The order of what flows, and how far it matters; on the calling thread. */

/**
 * Where an item stands in the order of a run.
 *
 * A run is cut into lines. Within a line `seq` counts, and every item of a later line comes before all items of an earlier one: a line lets items
 * on in their order. If the run is not ordered, `seq` is the number of the source's item, everywhere.
 */
export interface Rank {
  readonly line: number;
  readonly seq: number;
  /** In a run that is not ordered: which of its items a `flatMap` has made of an item, one number for each `flatMap` so far. */
  readonly within?: readonly number[] | undefined;
}

/** Comes before all items: a failure there is one of the whole run. */
export const WHOLE: Rank = { line: Number.POSITIVE_INFINITY, seq: -1 };

export function isAfter(a: Rank, b: Rank): boolean {
  if (a.line !== b.line) return a.line < b.line;
  return a.seq === b.seq ? isAfterWithin(a.within, b.within) : a.seq > b.seq;
}

function isAfterWithin(a: readonly number[] = [], b: readonly number[] = []): boolean {
  const k = a.findIndex((number, k) => number !== b[k]);
  return k >= 0 && (k >= b.length || (a[k] as number) > (b[k] as number)); // an item comes before what it becomes
}

/** How far a run goes: what comes after the lowest cut is of no use any more. A failure cuts, and so does a stage that has enough. */
export class Horizon {
  #rank: Rank | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** Whether something is of no use any more. */
  readonly isMoot = (rank: Rank): boolean => this.#rank !== undefined && isAfter(rank, this.#rank);

  get isCut(): boolean {
    return this.#rank !== undefined;
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Whether the whole run has failed. */
  get isWhole(): boolean {
    return this.#rank === WHOLE;
  }

  /** What the run fails with, and what is told to work that is cancelled. */
  get reason(): unknown {
    return this.#failure?.error;
  }

  /** @returns whether this is the lowest cut so far. What comes before it goes on, because it may fail, too */
  cut(rank: Rank, failure?: { readonly error: unknown }): boolean {
    if (this.isMoot(rank)) return false;
    const isLower = this.#rank === undefined || isAfter(this.#rank, rank);
    // The last of those that are enough may still fail.
    if (!isLower && (failure === undefined || this.hasFailed)) return false;
    this.#rank = rank;
    this.#failure = failure;
    return true;
  }
}
