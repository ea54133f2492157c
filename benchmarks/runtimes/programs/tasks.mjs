// The tasks, and the programs that one would write without them.
import { fork, forkable, join } from 'furcate';

export const nothing = forkable(import.meta.url, 'nothing', () => {});

export const fib = forkable(import.meta.url, 'fib', (n) => {
  if (n < 2) return n;
  const left = fork(fib, n - 1);
  const right = fib(n - 2);
  return join(left) + right;
});

export function plainFib(n) {
  if (n < 2) return n;
  return plainFib(n - 1) + plainFib(n - 2);
}

export function plainSum(xs, from = 0, to = xs.length) {
  let sum = 0;
  for (let i = from; i < to; i++) sum += xs[i];
  return sum;
}
