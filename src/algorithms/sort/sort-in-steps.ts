/** Sorts by a comparator on the calling thread, in pieces between which the event loop may have a turn. */

/** Compares two items by their indices. */
export type CompareIndices = (i: number, j: number) => number;

/** Elements that are compared between two pauses. */
const STEP = 256;

/** Elements of a run that the built-in sort sorts at once. */
const RUN = 1024;

/** Pauses: `yield` of nothing. */
type Pausing<R> = Generator<undefined, R, unknown>;

/** Sorts some indices in place, stably. */
export function* sortInSteps(items: Uint32Array, compare: CompareIndices): Pausing<void> {
  const runs: Uint32Array[] = [];
  for (let lo = 0; lo < items.length; lo += RUN) {
    const run = items.subarray(lo, lo + RUN);
    run.set(Array.from(run).sort(compare));
    runs.push(run);
    if (items.length > RUN) yield;
  }
  if (runs.length > 1) items.set(yield* mergedInSteps(runs, compare));
}

/** Merges sorted runs, each with the next one, until one is left. */
export function* mergedInSteps(given: readonly Uint32Array[], compare: CompareIndices): Pausing<Uint32Array> {
  let runs = given;
  while (runs.length > 1) {
    const next: Uint32Array[] = [];
    for (let k = 0; k < runs.length; k += 2) {
      const [left, right] = [runs[k] as Uint32Array, runs[k + 1]];
      next.push(right === undefined ? left : yield* bothInSteps(left, right, compare));
    }
    runs = next;
  }
  return runs[0] as Uint32Array;
}

function* bothInSteps(left: Uint32Array, right: Uint32Array, compare: CompareIndices): Pausing<Uint32Array> {
  const out = new Uint32Array(left.length + right.length);
  let [i, j] = [0, 0];
  for (let k = 0; k < out.length; k++) {
    if (k % STEP === 0) yield;
    const takesRight = i >= left.length || (j < right.length && compare(left[i] as number, right[j] as number) > 0);
    out[k] = takesRight ? (right[j++] as number) : (left[i++] as number);
  }
  return out;
}
