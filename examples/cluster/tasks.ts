/** What the hosts of the example run. */
import { forkable } from 'furcate';

/** Numbers from `lo` up to `hi`. */
export interface Range {
  readonly lo: number;
  readonly hi: number;
}

function isPrime(n: number): boolean {
  for (let d = 2; d * d <= n; d++) if (n % d === 0) return false;
  return n >= 2;
}

/** How many primes a range has. */
export const countPrimes = forkable(import.meta.url, 'countPrimes', ({ lo, hi }: Range): number => {
  let count = 0;
  for (let n = lo; n < hi; n++) if (isPrime(n)) count++;
  return count;
});

export function rangesUpTo(limit: number, count: number): Range[] {
  const edge = (k: number): number => Math.floor((limit * k) / count);
  return Array.from({ length: count }, (_, k) => ({ lo: edge(k), hi: edge(k + 1) }));
}
