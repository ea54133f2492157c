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

/** Whether `a` has to come after `b`. */
export type After = (a: unknown, b: unknown, context: unknown) => boolean;

/** Typed arrays of numbers or of bigints, or plain arrays. */
export type Elements = { [i: number]: unknown; readonly length: number };

/** Sorts a[lo, hi), with b[lo, hi) for scratch; the result is in b if `toB`, else in a. */
export type Sort = (a: Elements, b: Elements, lo: number, hi: number, toB: boolean, context: unknown) => void;

/** Two runs: left[i, iEnd) and right[j, jEnd). */
type Runs<T> = [left: T, i: number, iEnd: number, right: T, j: number, jEnd: number];

/** Merges two runs to out[k, ...). */
export type Merge<T = Elements> = (...args: [...runs: Runs<T>, out: T, k: number, context?: unknown]) => void;

/** How many of the first `count` elements of two merged runs come from the left one. */
type Rank = (...args: [...runs: Runs<Elements>, count: number, context: unknown]) => number;

export type MergeKernel = ReturnType<typeof makeMergeKernel>;

/** A template, see specialize.ts: self-contained, so its constants are here. */
export const makeMergeKernel = (after: After) => {
  // Longest run that is sorted by insertion. With 6, 12 and 24 elements a sort takes 139, 126 and 117 ms; 24 need 6 % more comparisons.
  const insertionElements = 12;
  const fewestSteps = 2;
  /** Indices up to this are small integers for the engine. */
  const mostIndex = 0x7fffffff;

  function insertionSort(a: Elements, lo: number, hi: number, context: unknown): void {
    for (let i = lo + 1; i < hi; i++) {
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

  const merge: Merge = (left, i, iEnd, right, j, jEnd, out, k, context) => {
    const isMixed = i < iEnd && j < jEnd && after(left[iEnd - 1], right[j], context);
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
  };

  const sort: Sort = (a, b, lo, hi, toB, context) => {
    if (hi - lo <= insertionElements) {
      insertionSort(a, lo, hi, context);
      if (toB) copy(a, lo, hi, b, lo);
      return;
    }
    const mid = lo + ((hi - lo) >> 1);
    sort(a, b, lo, mid, !toB, context);
    sort(a, b, mid, hi, !toB, context);
    if (toB) merge(a, lo, mid, a, mid, hi, b, lo, context);
    else merge(b, lo, mid, b, mid, hi, a, lo, context);
  };

  const rank: Rank = (left, i, iEnd, right, j, jEnd, count, context) => {
    let least = Math.max(0, count - (jEnd - j));
    let most = Math.min(count, iEnd - i);
    while (least < most) {
      const taken = (least + most) >>> 1;
      // If `taken` elements came from the left run: does the next one there come after the last one from the right run?
      if (after(left[i + taken], right[j + count - 1 - taken], context)) most = taken;
      else least = taken + 1;
    }
    return least;
  };

  return { sort, merge, rank };
};

/** A template, see specialize.ts. It converts the answer to a number, as the language does: NaN and undefined count as 0, a bigint is a TypeError. */
export const makeAfterOf = (compare: Compare): After =>
  function after(a, b, context) {
    return +(compare(a, b, context) as number) > 0;
  };
