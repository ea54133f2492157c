/** What the models of pools run: leaves, parents, and tasks that end only when others have run. */
import { REQUEST_CANCEL, REQUEST_ROOT } from '../../../src/core/memory/layout.js';
import type { Library } from '../explorer/library.js';
import type { ThreadContext } from '../explorer/virtual-thread.js';
import { serve } from './waking.js';
import type { Call } from './worker-group.js';

/** What the tasks of these models do, by what they are called with. */
export interface Tasks {
  /** Notes `ran k` and gives 10 k. */
  readonly leaf: Call;
  /** Forks leaves 10 k + 1 and 10 k + 2. */
  readonly parent: Call;
  /** A leaf that counts itself in the first flag. */
  readonly counting: Call;
  /** A leaf that ends when such a one has run. */
  readonly long: Call;
  /** A leaf that ends when two of them have begun. */
  readonly meeting: Call;
  /** Ends when it sees that it was cancelled. */
  readonly endless: Call;
  /** Forks a task that it leaves to others, and looks at its checkpoints only. */
  readonly needy: Call;
  /** A leaf that reports k and k + 1. */
  readonly reporter: Call;
  /** Forks a reporter of 3, and reports 1 and 2 itself. */
  readonly reporters: Call;
  /** Reports k, and ends when the flag is set that says so. */
  readonly heard: Call;
  /** Joins an empty task whenever it is asked to give way, until a counting task has run. */
  readonly giving: Call;
  /** Sets the second flag, waits for a request, and gives the first flag as it is after a checkpoint. */
  readonly looking: Call;
  /** Forks a task, lets others in until a counting task has run or the second flag is set, and joins it; the task notes if another invocation runs it. */
  readonly forking: Call;
  /** Ends when a joining task begins. */
  readonly holding: Call;
  /** Joins a task that another worker runs until a counting task has run. */
  readonly joining: Call;
}

export function define(library: Library, context: ThreadContext, flags: number): Tasks {
  const leaf = library.forkable('model', 'leaf', (k: number): number => {
    context.note(`ran ${k}`);
    return 10 * k;
  });
  const parent = library.forkable('model', 'parent', (k: number): number => {
    context.note(`ran ${k}`);
    const one = library.fork(leaf, 10 * k + 1);
    const two = library.fork(leaf, 10 * k + 2);
    return library.join(two) + library.join(one);
  });
  const counting = library.forkable('model', 'counting', (k: number): number => {
    const result = leaf(k);
    context.seam.add(new Int32Array(context.buffer, 4 * flags, 1), 0, 1);
    return result;
  });
  const long = library.forkable('model', 'long', (k: number): number => {
    const result = leaf(k);
    context.until([flags], (words) => words[flags] >= 1);
    return result;
  });
  const meeting = library.forkable('model', 'meeting', (k: number): number => {
    const result = leaf(k);
    context.seam.add(new Int32Array(context.buffer, 4 * flags, 1), 0, 1);
    context.until([flags], (words) => words[flags] >= 2);
    return result;
  });
  const endless = library.forkable('model', 'endless', (): number => {
    const { requestsWord } = library.thread.own as { requestsWord: number };
    for (;;) {
      context.until([requestsWord], (words) => (words[requestsWord] & (REQUEST_CANCEL | REQUEST_ROOT)) !== 0);
      library.checkpoint();
    }
  });
  const needy = library.forkable('model', 'needy', (k: number): number => {
    context.note(`ran ${k}`);
    const own = library.thread.own as InstanceType<Library['WorkerSlot']>;
    const other = library.fork(counting, k + 1);
    serve({ library, context, layout: own.memory.layout, own }, flags, 1);
    return library.join(other);
  });
  const reporter = library.forkable('model', 'reporter', (k: number): number => {
    library.report(k);
    library.report(k + 1);
    return 10 * k;
  });
  const reporters = library.forkable('model', 'reporters', (): number => {
    const other = library.fork(reporter, 3);
    return reporter(1) + library.join(other);
  });
  const heard = library.forkable('model', 'heard', (k: number): number => {
    library.report(k);
    context.until([flags], (words) => words[flags] >= 1);
    return 10 * k;
  });
  const requestsWord = (): number => (library.thread.own as { requestsWord: number }).requestsWord;
  const empty = library.forkable('model', 'empty', (k: number): number => k);
  const giving = library.forkable('model', 'giving', (k: number): number => {
    const over = new Int32Array(context.buffer, 4 * flags, 1);
    const requests = requestsWord();
    while (context.seam.load(over, 0) === 0) {
      context.until([flags, requests], (words) => words[flags] >= 1 || (words[requests] & REQUEST_ROOT) !== 0);
      library.join(library.fork(empty, k));
    }
    return 10 * k;
  });
  const looking = library.forkable('model', 'looking', (): number => {
    const seen = new Int32Array(context.buffer, 4 * flags, 2);
    context.seam.store(seen, 1, 1);
    const requests = requestsWord();
    context.until([requests], (words) => (words[requests] & (REQUEST_ROOT | REQUEST_CANCEL)) !== 0);
    library.checkpoint();
    return context.seam.load(seen, 0);
  });
  const lasting = library.forkable('model', 'lasting', (k: number): number => {
    context.seam.store(new Int32Array(context.buffer, 4 * flags, 2), 1, 1);
    context.until([flags], (words) => words[flags] >= 1);
    return 10 * k;
  });
  const mine = library.forkable('model', 'mine', (k: number): number => {
    const own = context.seam.load(new Int32Array(context.buffer, 4 * flags, 4), 3);
    if (library.thread.invocation !== own) context.note('another invocation ran it');
    return k;
  });
  const forking = library.forkable('model', 'forking', (k: number): number => {
    context.seam.store(new Int32Array(context.buffer, 4 * flags, 4), 3, library.thread.invocation);
    const other = library.fork(mine, k);
    const requests = requestsWord();
    const seen = new Int32Array(context.buffer, 4 * flags, 2);
    while (context.seam.load(seen, 1) === 0) {
      context.until([flags + 1, requests], (words) => words[flags + 1] >= 1 || (words[requests] & REQUEST_ROOT) !== 0);
      library.checkpoint();
    }
    return library.join(other);
  });
  const holding = library.forkable('model', 'holding', (k: number): number => {
    context.until([flags + 2], (words) => words[flags + 2] >= 1);
    return k;
  });
  const joining = library.forkable('model', 'joining', (k: number): number => {
    context.seam.store(new Int32Array(context.buffer, 4 * flags, 3), 2, 1);
    const own = library.thread.own as InstanceType<Library['WorkerSlot']>;
    const other = library.fork(lasting, k);
    serve({ library, context, layout: own.memory.layout, own }, flags + 1, 1);
    return library.join(other);
  });
  const all = { leaf, parent, counting, long, meeting, endless, needy };
  return { ...all, reporter, reporters, heard, giving, looking, forking, holding, joining };
}
