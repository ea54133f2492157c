// Tasks that are always stolen: their forker does not join one before another thread has begun it.
import { checkpoint, fork, forkable, join, RecursiveTask } from 'furcate';

/** Whether this thread runs the forker. A task that finds it set was not stolen, and spoils the sum. */
let isForker = false;

function begin(begun, i) {
  Atomics.store(begun, 0, i);
  return isForker ? Number.NaN : i;
}

class Stolen extends RecursiveTask {
  static {
    this.register(import.meta.url, 'Stolen');
  }

  begun;
  i;

  constructor(begun, i) {
    super();
    this.begun = begun;
    this.i = i;
  }

  compute() {
    return begin(this.begun, this.i);
  }
}

const stolen = forkable(import.meta.url, 'stolen', begin);

/** Forks n tasks one after the other; returns the sum of 1 to n, and how long it took (milliseconds). `begun` is a shared word. */
const stealsBy = (forkAndGetJoin) => (begun, n) => {
  isForker = true;
  Atomics.store(begun, 0, 0);
  const startMs = performance.now();
  let sum = 0;
  for (let i = 1; i <= n; i++) {
    const joinIt = forkAndGetJoin(begun, i);
    while (Atomics.load(begun, 0) !== i) checkpoint(); // publishes when the thief asks
    sum += joinIt();
  }
  isForker = false;
  return [sum, performance.now() - startMs];
};

export const stealsOfClass = forkable(
  import.meta.url,
  'stealsOfClass',
  stealsBy((begun, i) => {
    const task = new Stolen(begun, i).fork();
    return () => task.join();
  }),
);

export const stealsOfFunction = forkable(
  import.meta.url,
  'stealsOfFunction',
  stealsBy((begun, i) => {
    const forked = fork(stolen, begun, i);
    return () => join(forked);
  }),
);
