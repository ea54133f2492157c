// Asynchronous tasks: pairs of fork and join, and many that wait at once.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { asyncForkable, blocking, fork, forkable, join, report } from 'furcate';
import { busy } from './flat.mjs';

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

/** Reports `count` small objects. */
export const reporter = forkable(url, 'reporter', (count) => {
  for (let k = 0; k < count; k++) report({ task: 'reporter', done: k, of: count });
  return count;
});

/** Two reporters at once. */
export const reporters = forkable(url, 'reporters', (count) => {
  const other = fork(reporter, count / 2);
  return reporter(count / 2) + join(other);
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

/** Waits for a promise that all tasks of the worker share, so that nothing but the task itself takes memory. */
let begun = 0;
let gate;
export const waiter = asyncForkable(url, 'waiter', async () => {
  begun++;
  await gate;
  return 1;
});

/** Forks `count` tasks that wait at once, on one worker; returns how many there were, and the bytes that each takes on the heap. */
export const waitingMemory = asyncForkable(url, 'waitingMemory', async (scope, count) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const heldBytes = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  let open;
  gate = new Promise((resolve) => {
    open = resolve;
  });
  begun = 0;
  const beforeBytes = heldBytes();
  const forks = Array.from({ length: count }, () => scope.fork(waiter));
  while (begun < count) await pause(1);
  const bytes = (heldBytes() - beforeBytes) / count;
  open();
  return [(await scope.joinAll(forks)).reduce((a, b) => a + b, 0), bytes];
});

/** Waits for `ms`; returns how much later than that it went on. */
export const late = asyncForkable(url, 'late', async (_scope, ms) => {
  const startMs = performance.now();
  await pause(ms);
  return performance.now() - startMs - ms;
});

/** Computes; returns how long that took. */
export const stretch = forkable(url, 'stretch', (iterations, seed) => {
  const startMs = performance.now();
  return busy(iterations, seed) < 0 ? 0 : performance.now() - startMs;
});

/** Timers among tasks that compute: how late each fires, and how long each of these tasks takes, in milliseconds. */
export const timers = asyncForkable(url, 'timers', async (scope, count, iterations) => {
  const forks = Array.from({ length: count }, (_, k) => scope.fork(late, 5 + (k % 40)));
  const stretches = Array.from({ length: 2 * count }, (_, k) => scope.fork(stretch, iterations, k));
  const times = await scope.joinAll(stretches);
  return [await scope.joinAll(forks), times];
});

const nobody = new Int32Array(new SharedArrayBuffer(4));

/** Blocks its thread for so long, in a blocking section or without; returns `ms`. */
export const blocks = forkable(url, 'blocks', (ms, inSection) => {
  const block = () => Atomics.wait(nobody, 0, 0, ms);
  if (inSection) blocking(block);
  else block();
  return ms;
});
export const computes = forkable(url, 'computes', (iterations, seed) => busy(iterations, seed));
