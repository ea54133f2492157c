/** The order of what flows, and how far it matters; on the calling thread. */

/**
 * Position of an item in the order of a run.
 *
 * The way of the items is cut into legs. Within a leg `seq` counts, and every item of a later leg comes before all items of an earlier one: where a leg
 * ends, items go on in their order. If the run is not ordered, items keep the number of the source's item, until `take`, `drop` or `expand` count anew.
 */
export interface Rank {
  readonly leg: number;
  readonly seq: number;
  /** In a run that is not ordered: which of its items a `flatMap` has made of an item, one number for each `flatMap` so far. */
  readonly within?: readonly number[] | undefined;
}

/** Comes before all items: a failure there is one of the whole run. */
export const WHOLE: Rank = { leg: Number.POSITIVE_INFINITY, seq: -1 };

/** Checks whether `a` comes after `b`. */
export function isAfter(a: Rank, b: Rank): boolean {
  if (a.leg !== b.leg) return a.leg < b.leg;
  return a.seq === b.seq ? isAfterWithin(a.within, b.within) : a.seq > b.seq;
}

function isAfterWithin(a: readonly number[] = [], b: readonly number[] = []): boolean {
  const k = a.findIndex((number, k) => number !== b[k]);
  return k >= 0 && (k >= b.length || (a[k] as number) > (b[k] as number)); // an item comes before what it becomes
}

/** Limit of a run: what comes after the lowest cut is of no use any more. A failure cuts, and so does a stage that has enough. */
export class Horizon {
  #rank: Rank | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** Checks whether an item comes after the lowest cut, so that it is of no use any more. */
  readonly isCut = (rank: Rank): boolean => this.#rank !== undefined && isAfter(rank, this.#rank);

  /** True if there is a cut. */
  get hasCut(): boolean {
    return this.#rank !== undefined;
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** True if the whole run has failed. */
  get isWhole(): boolean {
    return this.#rank === WHOLE;
  }

  /** Error with which the run fails, and which is told to work that is cancelled. */
  get reason(): unknown {
    return this.#failure?.error;
  }

  /** @returns whether this is the lowest cut so far. What comes before it goes on, because it may fail, too */
  cut(rank: Rank, failure?: { readonly error: unknown }): boolean {
    if (this.isCut(rank)) return false;
    const isLower = this.#rank === undefined || isAfter(this.#rank, rank);
    // The last of those that are enough may still fail.
    if (!isLower && (failure === undefined || this.hasFailed)) return false;
    this.#rank = rank;
    this.#failure = failure;
    return true;
  }
}
