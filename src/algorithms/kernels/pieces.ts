/**
 * Work for a WebAssembly kernel in short calls; runs on every thread that computes. V8 runs a kernel's first calls in code
 * that it made quickly, and cannot exchange the code of a call that is running.
 */

/** Elements in a call: 5 to 50 us. */
const PIECE_ELEMENTS = 16_384;

/** Runs all pieces of [lo, hi), from left to right. */
export function inPieces(lo: number, hi: number, run: (lo: number, hi: number) => void): void {
  for (let from = lo; from < hi; from += PIECE_ELEMENTS) run(from, Math.min(hi, from + PIECE_ELEMENTS));
}
