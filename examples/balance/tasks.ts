/** A sum as a tree of tasks, whose leaves are as small as one likes. */
import { fork, forkable, join } from 'furcate';

export const sumTree = forkable(import.meta.url, 'sumTree', (lo: number, hi: number, leaf: number): number => {
  if (hi - lo <= leaf) return sumOf(lo, hi);
  const middle = (lo + hi) >>> 1;
  const right = fork(sumTree, middle, hi, leaf);
  return sumTree(lo, middle, leaf) + join(right);
});

/** The same without tasks. */
export function sumOf(lo: number, hi: number): number {
  let sum = 0;
  for (let i = lo; i < hi; i++) sum += Math.sqrt(i);
  return sum;
}
