/**
 * Work for a WebAssembly kernel in short calls; runs on every thread that computes. V8 runs a kernel's first calls in code
 * that it made quickly, and cannot exchange the code of a call that is running.
 */

/** Elements in a call: 5 to 50 us. */
const PIECE_ELEMENTS = 16_384;

/** `sum` is what the pieces before have given. */
// biome-ignore lint/suspicious/noConfusingVoidType: most have nothing to give
type Piece = (lo: number, hi: number, sum: number) => number | void;

/** Runs all pieces of [lo, hi), from left to right; adds up what they give. */
export function inPieces(lo: number, hi: number, run: Piece): number {
  let sum = 0;
  for (let from = lo; from < hi; from += PIECE_ELEMENTS)
    sum += run(from, Math.min(hi, from + PIECE_ELEMENTS), sum) ?? 0;
  return sum;
}
