// Tasks of the pages. Workers of an unbundled page have no import map, so the library is named by its URL.
import { asyncForkable, fork, forkable, join, RecursiveTask } from '/dist/index.js';

export class Fib extends RecursiveTask {
  static {
    Fib.register(import.meta.url, 'Fib');
  }
  constructor(n) {
    super();
    this.n = n;
  }
  compute() {
    if (this.n < 2) return this.n;
    const left = new Fib(this.n - 1);
    left.fork();
    return new Fib(this.n - 2).compute() + left.join();
  }
}

const sumOf = (n) => (n < 2 ? n : join(fork(sum, n - 1)) + n);
export const sum = forkable(import.meta.url, 'sum', sumOf);
const downOf = (n) => (n === 0 ? 0 : 1 + join(fork(down, n - 1)));
export const down = forkable(import.meta.url, 'down', downOf);
export const fails = forkable(import.meta.url, 'fails', (text) => {
  throw new RangeError(text);
});
export const isOnPage = forkable(import.meta.url, 'isOnPage', () => 'document' in globalThis);
export const twice = forkable(import.meta.url, 'twice', (text) => text + text);
export const waits = asyncForkable(import.meta.url, 'waits', async (_scope, ms) => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return ms;
});
export const closes = forkable(import.meta.url, 'closes', () => globalThis.close());
export const counts = forkable(import.meta.url, 'counts', (words, limitMs) => {
  const endMs = performance.now() + limitMs;
  while (performance.now() < endMs) Atomics.add(words, 0, 1);
});
export const spawnsThieves = forkable(import.meta.url, 'spawnsThieves', (words, n) => {
  const handles = Array.from({ length: n }, () => fork(marks, words));
  for (const handle of handles.reverse()) join(handle);
});
/** Says on which thread it runs: 1 for the page's worker that has the pool, 2 for a worker of the pool. */
export const marks = forkable(import.meta.url, 'marks', (words) => {
  const endMs = performance.now() + 2;
  while (performance.now() < endMs);
  Atomics.or(words, 0, globalThis.name.startsWith('furcate') ? 2 : 1);
});

/** Makes an array of so many bytes. */
export const fills = forkable(import.meta.url, 'fills', (bytes) => new Float64Array(bytes / 8).length);

/** Makes objects without end, and keeps them. */
export const hoards = forkable(import.meta.url, 'hoards', () => {
  for (const kept = []; ; ) kept.push({ of: kept.length, and: [kept.length] });
});
