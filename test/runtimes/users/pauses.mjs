/** A task that waits, and forks one that computes. */
import { asyncForkable } from 'furcate';
import { fib } from './fib.mjs';

export const waits = asyncForkable(import.meta.url, 'waits', async (scope, _n, ms) => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return await scope.join(scope.fork(fib, 10));
});
