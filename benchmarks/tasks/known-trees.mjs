// Trees of tasks whose leaves take a known time each, so that work and span are known.
import { fork, forkable, join } from 'furcate';
import { busy } from './flat.mjs';

const leaf = forkable(import.meta.url, 'leaf', (iterations) => busy(iterations, 1));

const both = (left, right) => join(right) + left;

/** 2^depth leaves; the span is one of them. */
export const balanced = forkable(import.meta.url, 'balanced', (depth, iterations) => {
  if (depth === 0) return busy(iterations, 1);
  const right = fork(balanced, depth - 1, iterations);
  return both(balanced(depth - 1, iterations), right);
});

/** fib(n + 1) leaves; the span is one of them. */
export const skewed = forkable(import.meta.url, 'skewed', (n, iterations) => {
  if (n < 2) return busy(iterations, 1);
  const right = fork(skewed, n - 1, iterations);
  return both(skewed(n - 2, iterations), right);
});

/** n leaves; the span is one of them. */
export const flat = forkable(import.meta.url, 'flat', (n, iterations) => {
  const forks = Array.from({ length: n }, () => fork(leaf, iterations));
  let sum = 0;
  while (forks.length > 0) sum += join(forks.pop());
  return sum;
});

/** 2 n + 1 leaves; the span is n + 1 of them. */
export const chain = forkable(import.meta.url, 'chain', (n, iterations) => {
  const own = busy(iterations, 1);
  if (n === 0) return own;
  const beside = fork(leaf, iterations);
  const sum = own + join(fork(chain, n - 1, iterations));
  return both(sum, beside);
});

/** What a leaf takes on this thread: the least of many times (us). */
export const leafUs = forkable(import.meta.url, 'leafUs', (iterations, times) => {
  let least = Number.POSITIVE_INFINITY;
  for (let k = 0; k < times; k++) {
    const startMs = performance.now();
    busy(iterations, k);
    least = Math.min(least, performance.now() - startMs);
  }
  return least * 1000;
});

/** What `flat` takes itself on this thread, with leaves that do nothing (us): its forks and joins, which are on its span. */
export const flatOwnUs = forkable(import.meta.url, 'flatOwnUs', (n) => {
  const startMs = performance.now();
  flat(n, 0);
  return (performance.now() - startMs) * 1000;
});
