/**
 * What a good program without a fork/join library does: as many parts as threads, which take blocks of a shared array by a shared counter;
 * runs in workers of the pools that send messages, and in bare workers.
 */
import { mandelbrotRow } from '../tasks/mandelbrot.mjs';

/** Elements of a block: large enough that the counter costs nothing. */
const BLOCK = 65_536;

function* blocks({ counter }, n, size) {
  for (;;) {
    const lo = Atomics.add(counter, 0, 1) * size;
    if (lo >= n) return;
    yield [lo, Math.min(n, lo + size)];
  }
}

/** Four accumulators, because one would have to wait for each addition. */
function sumOf(xs, lo, hi) {
  let [a, b, c, d] = [0, 0, 0, 0];
  let i = lo;
  for (; i + 3 < hi; i += 4) {
    a += xs[i];
    b += xs[i + 1];
    c += xs[i + 2];
    d += xs[i + 3];
  }
  for (; i < hi; i++) a += xs[i];
  return a + b + (c + d);
}

function count(xs, lo, hi, bins) {
  for (let i = lo; i < hi; i++) bins[xs[i] >>> 24]++;
}

const WORKS = {
  sum(given) {
    let sum = 0;
    for (const [lo, hi] of blocks(given, given.xs.length, BLOCK)) sum += sumOf(given.xs, lo, hi);
    return sum;
  },
  histogram(given) {
    const bins = new Uint32Array(256);
    for (const [lo, hi] of blocks(given, given.xs.length, BLOCK)) count(given.xs, lo, hi, bins);
    return bins;
  },
  mandelbrot(given) {
    const { xs, width, height } = given;
    for (const [lo, hi] of blocks(given, height, 4)) for (let y = lo; y < hi; y++) mandelbrotRow(xs, width, height, y);
  },
};

/** One thread's part of a work; the arrays in `given` are on SharedArrayBuffers. */
export const part = (given) => WORKS[given.work](given);
