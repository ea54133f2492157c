/**
 * Stable merge sort of one leaf, merging, and splitting a merge by rank; runs on every thread that computes.
 *
 * `makeMergeKernel` is a template (see specialize.ts): the order is inlined into loops that no other order shares. `after(a, b)`
 * says that `a` has to come after `b`. Equal elements keep their order, because the right one goes first only if the left one
 * has to come after it. No element is lost or repeated, whatever `after` answers: every loop moves each element of its runs once.
 *
 * Runs of one array are merged from both ends at once. The answers of `after` are added to indices. A loop that branches on them
 * would mispredict half of its branches. Measured on 1e6 random float64 beside a loop that branches, CPU time on the reference
 * machine: by |a| - |b| 91 against 160 ms (the built-in sort 430 to 560), by a < b ? 1 : a > b ? -1 : 0, which branches itself,
 * 156 against 154; from one end only, 4.7 against 3.2 ns for each merged element. Rejected: choosing between two elements
 * instead of between their indices (150 to 175 against 117 ms; V8 makes no conditional moves).
 */

/** A comparator as algorithms call it. */
export type Compare = (a: unknown, b: unknown, context: unknown) => unknown;

/** Returns true if `a` has to come after `b`. */
export type After = (a: unknown, b: unknown, context: unknown) => boolean;

/** Typed arrays of numbers or of bigints, or plain arrays. */
export type Elements = { [i: number]: unknown; readonly length: number };

/** Sorts a[lo, hi), with b[lo, hi) for scratch; the result is in b if `toB`, else in a. */
export type Sort = (a: Elements, b: Elements, lo: number, hi: number, toB: boolean, context: unknown) => void;

/** Two runs: left[i, iEnd) and right[j, jEnd). */
type Runs<T> = [left: T, i: number, iEnd: number, right: T, j: number, jEnd: number];

/** Merges two runs to out[k, ...). */
export type MergeLoop<T = Elements> = (...args: [...runs: Runs<T>, out: T, k: number, context?: unknown]) => void;

/** Returns how many of the first `count` elements of two merged runs come from the left one. */
type RankLoop = (...args: [...runs: Runs<Elements>, count: number, context: unknown]) => number;

export type MergeKernel = ReturnType<typeof makeMergeKernel>;

/**
 * A template, see specialize.ts: self-contained, so its constants are here. `first` stands for `after` outside of the loops: in the first
 * comparison of a sort or a merge, and where a merge is split.
 */
export const makeMergeKernel = (after: After, first = after) => {
  // Longest run that is sorted by insertion. With 6, 12 and 24 elements a sort takes 139, 126 and 117 ms; 24 need 6 % more comparisons.
  const insertionElements = 12;
  const fewestSteps = 2;
  /** Indices up to this are small integers for the engine. */
  const mostIndex = 0x7fffffff;

  /** Sorts a[lo, hi), of which a[lo, i) is sorted. */
  function insertionSort(a: Elements, lo: number, i: number, hi: number, context: unknown): void {
    for (; i < hi; i++) {
      const x = a[i];
      let j = i - 1;
      while (j >= lo) {
        const y = a[j];
        if (!after(y, x, context)) break;
        a[j + 1] = y;
        j--;
      }
      a[j + 1] = x;
    }
  }

  function copy(src: Elements, i: number, iEnd: number, out: Elements, k: number): void {
    while (i < iEnd) out[k++] = src[i++];
  }

  /** `isMixed` says whether there are two runs, and the last element of the left one comes after the first of the right one. */
  function mergeRuns(
    isMixed: boolean,
    left: Elements,
    i: number,
    iEnd: number,
    right: Elements,
    j: number,
    jEnd: number,
    out: Elements,
    k: number,
    context: unknown,
  ): void {
    if (isMixed && left === right && Math.max(iEnd, jEnd, k + iEnd - i + jEnd - j) <= mostIndex) {
      // Tells the compiler that the indices are small integers.
      i |= 0;
      iEnd |= 0;
      j |= 0;
      jEnd |= 0;
      k |= 0;
      let kEnd = (k + iEnd - i + jEnd - j) | 0;
      for (;;) {
        // Half as many steps as the shorter run is long cannot pass the end of either run, whatever the answers are.
        let steps = Math.min(iEnd - i, jEnd - j) >> 1;
        if (steps < fewestSteps) break;
        for (; steps > 0; steps--) {
          const taken = +after(left[i], left[j], context);
          out[k] = left[i + ((j - i) & -taken)];
          k = (k + 1) | 0;
          j = (j + taken) | 0;
          i = (i + 1 - taken) | 0;
          const last = +after(left[iEnd - 1], left[jEnd - 1], context);
          kEnd = (kEnd - 1) | 0;
          out[kEnd] = left[jEnd - 1 + ((iEnd - jEnd) & -last)];
          iEnd = (iEnd - last) | 0;
          jEnd = (jEnd - 1 + last) | 0;
        }
      }
    }
    if (isMixed && i < iEnd && j < jEnd) {
      let x = left[i];
      let y = right[j];
      for (;;) {
        if (after(x, y, context)) {
          out[k++] = y;
          if (++j >= jEnd) break;
          y = right[j];
        } else {
          out[k++] = x;
          if (++i >= iEnd) break;
          x = left[i];
        }
      }
    }
    copy(left, i, iEnd, out, k);
    copy(right, j, jEnd, out, k + iEnd - i);
  }

  const merge: MergeLoop = (left, i, iEnd, right, j, jEnd, out, k, context) => {
    const isMixed = i < iEnd && j < jEnd && first(left[iEnd - 1], right[j], context);
    mergeRuns(isMixed, left, i, iEnd, right, j, jEnd, out, k, context);
  };

  function mergeHalves(a: Elements, b: Elements, lo: number, mid: number, hi: number, toB: boolean, context: unknown) {
    const from = toB ? a : b;
    const isMixed = after(from[mid - 1], from[mid], context);
    mergeRuns(isMixed, from, lo, mid, from, mid, hi, toB ? b : a, lo, context);
  }

  const sortRest: Sort = (a, b, lo, hi, toB, context) => {
    if (hi - lo <= insertionElements) {
      insertionSort(a, lo, lo + 1, hi, context);
      if (toB) copy(a, lo, hi, b, lo);
      return;
    }
    const mid = lo + ((hi - lo) >> 1);
    sortRest(a, b, lo, mid, !toB, context);
    sortRest(a, b, mid, hi, !toB, context);
    mergeHalves(a, b, lo, mid, hi, toB, context);
  };

  /** As `sortRest`, with the first comparison of all. A function of its own, because V8 would optimise that one twice. */
  const sort: Sort = (a, b, lo, hi, toB, context) => {
    if (hi - lo > insertionElements) {
      const mid = lo + ((hi - lo) >> 1);
      sort(a, b, lo, mid, !toB, context);
      sortRest(a, b, mid, hi, !toB, context);
      mergeHalves(a, b, lo, mid, hi, toB, context);
      return;
    }
    if (hi - lo > 1) {
      const x = a[lo];
      const y = a[lo + 1];
      if (first(x, y, context)) {
        a[lo] = y;
        a[lo + 1] = x;
      }
    }
    insertionSort(a, lo, lo + 2, hi, context);
    if (toB) copy(a, lo, hi, b, lo);
  };

  const rank: RankLoop = (left, i, iEnd, right, j, jEnd, count, context) => {
    let least = Math.max(0, count - (jEnd - j));
    let most = Math.min(count, iEnd - i);
    while (least < most) {
      const taken = (least + most) >>> 1;
      // If `taken` elements came from the left run: does the next one there come after the last one from the right run?
      if (first(left[i + taken], right[j + count - 1 - taken], context)) most = taken;
      else least = taken + 1;
    }
    return least;
  };

  return { sort, merge, rank };
};

/** An order in two forms: `first` has the time to look at a comparator's answers. */
export interface Order {
  readonly after: After;
  readonly first?: After;
}

/**
 * A template, see specialize.ts. It converts the answer to a number, as the language does: NaN and undefined count as 0, a bigint is a
 * TypeError. `refuse` looks at the answer: a promise would count as 0, too.
 */
export const makeOrderBy = (compare: Compare, refuse: (answer: unknown) => unknown): Required<Order> => ({
  after(a, b, context) {
    return +(compare(a, b, context) as number) > 0;
  },
  first(a, b, context) {
    return +(refuse(compare(a, b, context)) as number) > 0;
  },
});
