// Loads that keep every worker busy until a word is set, and the empty task that is to begin nevertheless.
import { fork, forkable, join } from 'furcate';
import { fib } from './fib.mjs';
import { busy } from './flat.mjs';

const url = import.meta.url;
const isOver = (words) => Atomics.load(words, 0) !== 0;

export const empty = forkable(url, 'empty', () => 1);
const leaf = forkable(url, 'leaf', busy);

/** fib(n) again and again. */
export const trees = forkable(url, 'trees', (words, n) => {
  let sum = 0;
  while (!isOver(words)) sum += fib(n);
  return sum > 0;
});

/** A tree whose left branches are five times as deep as its right ones. */
export const lopsided = forkable(url, 'lopsided', (depth, iterations) => {
  if (depth <= 0) return busy(iterations, depth) & 1;
  const left = fork(lopsided, depth - 1, iterations);
  const right = lopsided(depth - 5, iterations);
  return join(left) + right;
});

export const unbalanced = forkable(url, 'unbalanced', (words, iterations) => {
  while (!isOver(words)) lopsided(12, iterations);
  return true;
});

/** A list of 200 equal leaves, again and again. */
export const flat = forkable(url, 'flat', (words, iterations) => {
  while (!isOver(words)) {
    const forks = Array.from({ length: 200 }, (_, i) => fork(leaf, iterations, i));
    for (const one of forks.reverse()) join(one);
  }
  return true;
});
