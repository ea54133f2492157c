// Asynchronous tasks: pairs of fork and join, and many that wait at once.
import { asyncForkable, forkable } from 'furcate';

const url = import.meta.url;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const one = forkable(url, 'one', () => 1);
export const asyncOne = asyncForkable(url, 'async one', async () => 1);

/** Forks and joins `count` tasks, one after the other; returns their sum and the time of each pair in microseconds. */
export const pairs = asyncForkable(url, 'pairs', async (scope, count, isAsync) => {
  let sum = 0;
  const startMs = performance.now();
  for (let k = 0; k < count; k++) sum += await scope.join(isAsync ? scope.fork(asyncOne) : scope.fork(one));
  return [sum, ((performance.now() - startMs) * 1000) / count];
});

export const sleeper = asyncForkable(url, 'sleeper', async (_scope, ms) => {
  await pause(ms);
  return 1;
});

/** Forks `count` tasks that each wait for `ms`; returns how many have done so. */
export const sleepers = asyncForkable(url, 'sleepers', async (scope, count, ms) => {
  const forks = Array.from({ length: count }, () => scope.fork(sleeper, ms));
  return (await scope.joinAll(forks)).reduce((a, b) => a + b, 0);
});
