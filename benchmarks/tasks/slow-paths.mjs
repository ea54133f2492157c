// Takes all paths except the fast one: joins in fork order, exceptions, unjoined children, cancellation, forks taken back,
// non-numeric arguments, invokeAll. V8 prunes paths that have never run, so figures taken before this are too good. There is only
// one class and one function here, so that a program stays below the number of classes that V8's inline caches distinguish.
import { fork, forkable, join, RecursiveTask } from 'furcate';

const PLANNED = 'planned failure';
const FAIL = -1;

function isPlanned(error) {
  return error.message === PLANNED;
}

export class SlowPaths extends RecursiveTask {
  static {
    this.register(import.meta.url, 'SlowPaths');
  }

  depth;
  label;

  constructor(depth, label) {
    super();
    this.depth = depth;
    this.label = label;
  }

  /** Returns a count of the tasks that ran or were cancelled, this one included. It does not depend on which thread ran them. */
  compute() {
    if (this.depth === FAIL) throw new Error(PLANNED);
    if (this.depth === 0) return this.label.length;
    const child = () => new SlowPaths(this.depth - 1, 'x').fork();
    let count = 1;

    const [first, second, third] = [child(), child(), child()];
    count += first.join() + third.join() + second.join();

    const failing = new SlowPaths(FAIL, 'fails').fork();
    const beside = child();
    try {
      failing.join();
    } catch (error) {
      if (!isPlanned(error)) throw error;
      count++;
    }
    count += beside.join();

    const cancelled = new SlowPaths(0, 'c').fork();
    if (cancelled.cancel()) count++;
    else count += cancelled.join();

    const takenBack = new SlowPaths(0, 't').fork();
    count += takenBack.tryUnfork() ? takenBack.invoke() : takenBack.join();

    const [one, other] = [new SlowPaths(0, 'o'), new SlowPaths(0, 'o')];
    RecursiveTask.invokeAll(one, other);
    count += one.getRawResult() + other.getRawResult();

    new SlowPaths(0, 'unjoined').fork();
    return count + slowPaths(this.depth - 1, 'x');
  }
}

export const slowPaths = forkable(import.meta.url, 'slowPaths', (depth, label, ...rest) => {
  if (depth === FAIL) throw new Error(PLANNED);
  if (depth === 0) return label.length + rest.length;
  let count = 1;
  const first = fork(slowPaths, depth - 1, 'f');
  const second = fork(slowPaths, depth - 1, 's');
  const many = fork(slowPaths, 0, 'm', 1, 2, 3);
  count += join(first) + join(many) + join(second);
  const failing = fork(slowPaths, FAIL, 'fails');
  const beside = fork(slowPaths, 0, 'b');
  try {
    join(failing);
  } catch (error) {
    if (!isPlanned(error)) throw error;
    count++;
  }
  fork(slowPaths, 0, 'unjoined');
  return count + join(beside);
});

/** The answer of `new SlowPaths(depth, 'x')`, computed by arithmetic. */
export function slowPathsAnswer(depth) {
  let ofClass = 1;
  let ofFunction = 1;
  for (let d = 1; d <= depth; d++) {
    ofClass = 6 + 4 * ofClass + ofFunction;
    ofFunction = 7 + 2 * ofFunction;
  }
  return ofClass;
}
