// A flat list of coarse tasks, forked in order by one task and joined newest first.
import { fork, forkable, join, RecursiveTask } from 'furcate';

/** A short piece of the work. It returns often, so V8 replaces it by optimised code early. */
function spin(x, steps) {
  for (let i = 0; i < steps; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  return x;
}

/**
 * Work of a known length that V8 cannot shorten: steps of a linear congruential generator. With one long loop, V8 would enter
 * optimised code in the middle of every call and leave it at every return. A worker that has run few tasks would take twice as long
 * for each, and the benchmark would measure the compiler instead of the scheduler.
 */
export function busy(iterations, seed) {
  let x = seed | 0;
  for (let left = iterations; left > 0; left -= 1000) x = spin(x, Math.min(left, 1000));
  return x >>> 0;
}

export class Busy extends RecursiveTask {
  static {
    this.register(import.meta.url, 'Busy');
  }

  iterations;
  seed;

  constructor(iterations, seed) {
    super();
    this.iterations = iterations;
    this.seed = seed;
  }

  compute() {
    return busy(this.iterations, this.seed);
  }
}

const busyTask = forkable(import.meta.url, 'busy', busy);

/** Forks a task for each element of `lengths`, a shared Int32Array with the iterations of each task. */
export class FlatList extends RecursiveTask {
  static {
    this.register(import.meta.url, 'FlatList');
  }

  lengths;

  constructor(lengths) {
    super();
    this.lengths = lengths;
  }

  compute() {
    const forked = Array.from(this.lengths, (iterations, i) => new Busy(iterations, i).fork());
    let sum = 0;
    for (let i = forked.length - 1; i >= 0; i--) sum += forked[i].join();
    return sum;
  }
}

export const flatList = forkable(import.meta.url, 'flatList', (lengths) => {
  const forked = Array.from(lengths, (iterations, i) => fork(busyTask, iterations, i));
  let sum = 0;
  for (let i = forked.length - 1; i >= 0; i--) sum += join(forked[i]);
  return sum;
});

export function plainList(lengths) {
  let sum = 0;
  for (let i = lengths.length - 1; i >= 0; i--) sum += busy(lengths[i], i);
  return sum;
}
