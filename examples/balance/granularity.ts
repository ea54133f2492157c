/** How long a tree of tasks of one's own takes, by the size of its leaves. */
import type { ForkJoinPool } from 'furcate';
import { sumOf, sumTree } from './tasks.js';

export interface Granularity {
  /** A plain loop on one thread. */
  readonly plainMs: number;
  readonly leaves: readonly {
    /** Numbers in a leaf. */
    readonly size: number;
    readonly ms: number;
  }[];
}

/** Measures the sum of n roots, with leaves of 1, 4, 16, ... numbers: the shortest of some runs. */
export async function granularity(pool: ForkJoinPool, n: number, runs: number): Promise<Granularity> {
  const expected = sumOf(0, n);
  const sizes: number[] = [];
  for (let size = 1; size <= n; size *= 4) sizes.push(size);
  const samples = sizes.map((): number[] => []);
  const plain: number[] = [];
  for (let run = -2; run < runs; run++) {
    const startMs = performance.now();
    sumOf(0, n);
    if (run >= 0) plain.push(performance.now() - startMs);
    for (const [k, size] of sizes.entries()) {
      const startMs = performance.now();
      const sum = await pool.invoke(sumTree, 0, n, size);
      if (run >= 0) samples[k]?.push(performance.now() - startMs);
      if (Math.abs(sum / expected - 1) > 1e-9) throw new Error(`leaves of ${size}: the sum is ${sum}`);
    }
  }
  const leaves = sizes.map((size, k) => ({ size, ms: shortest(samples[k] ?? []) }));
  return { plainMs: shortest(plain), leaves };
}

const shortest = (values: readonly number[]): number => Math.min(...values);
