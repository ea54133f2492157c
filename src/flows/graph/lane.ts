/**
 * Lanes: the loops that run the ready nodes of a graph; run on every thread that computes.
 *
 * A thread keeps ready nodes in a list of its own, and goes on with the newest: a successor of the node that it has run last. So a thread's stack does not
 * grow with the length of a path, and most nodes never leave their thread. When other threads ask for tasks, the lane gives away the older
 * half of its list: as a *chain*, linked through the words of its nodes, whose first node travels in a forked task. The thief begins a
 * lane with that chain.
 *
 * A lane whose list is empty joins what it has forked. If nobody has begun the task, the join gives the chain back. Otherwise the thread helps
 * while it waits, as every join does: it steals a chain from the thread that it waits for, and begins a lane on top of its stack. In a long
 * graph such lanes could pile up, because a chain is no part of the chain that it was made from, and may outlive it. So a thread that begins too many lanes has
 * all lanes *unwind*: each joins what it has forked, and ends with its ready nodes as a chain, which is its result. The root ends up with all
 * nodes that are ready, and goes on. Tasks belong to the run then, and not to a frame.
 *
 * - **L1** A ready node is in the list of one thread, or in one chain. A chain is in the hands of one task, or of the lane that has joined it.
 * - **L2** A lane returns when its part of the list is empty and all that it has forked is joined. So when the root returns, no node is ready and
 *   none runs: all nodes are done that could be.
 * - **L3** No thread has more than `MOST_LANES` lanes of a run on its stack, and one that begins no nodes.
 *
 * Rejected: a fork for each ready node (a thief that waits would have each node of a path published, at 1 to 2 us); chains in a ring that all
 * threads share (idle threads would have to look at it, and to sleep beside the pool's own protocol).
 */
import {
  builtin,
  type Forkable,
  fork,
  isAskedBy,
  jobKind,
  jobState,
  join,
  loopCheckpoint,
  observerHere,
} from '../../core/engine.js';
import { add, store } from '../../core/memory/atomics.js';
import { push } from './node.js';
import { chainOf, NO_CHAIN, runNewest, unchain } from './ready.js';
import { freeResults, outcomeOf, packAll } from './results.js';
import { GraphRun, nameOfRun, type RunSpec, RunWords, W_TOKENS, W_UNWIND } from './run.js';
import { edgesIn } from './topology.js';

/** Most lanes of a run on one thread's stack where two threads compute: joins then steal from each other without limit. */
const MOST_LANES_OF_TWO = 48;
/** The same where more threads compute: a join nests four steals from threads that it does not wait for, and then helps less. */
const MOST_LANES = 4;

interface ForkedNode {
  readonly handle: ReturnType<typeof fork<[number, number, number], number>>;
  readonly id: number;
}

interface Opened {
  run: GraphRun | undefined;
  readonly spec: RunSpec;
}

export const GRAPH = jobKind<RunSpec, Opened>('taskGraph', (spec) => ({ spec, run: undefined }));

/** The run of a job, as this thread has it. */
export function runOf(job: number): GraphRun {
  const opened = jobState<Opened>(job);
  opened.run ??= new GraphRun(opened.spec, job);
  return opened.run;
}

const labelOf = (job: number): string => `taskGraph ${jobState<Opened>(job).spec.name}`;

/** Names for tasks that run many nodes of a run: for errors by those that run in it. */
export const MANY = {
  label: labelOf,
  call: (job: number) => {
    const { run, spec } = jobState<Opened>(job);
    return nameOfRun(run ?? new RunWords(spec, job));
  },
};

/** Names for tasks that run one node. */
export const ONE = {
  label: labelOf,
  call: (job: number, node: number) => {
    const run = runOf(job);
    return `node '${run.nameOf(node)}' of ${labelOf(job)}`;
  },
};

/** Gives the older half of the thread's list away. */
function offer(run: GraphRun, job: number, base: number): ForkedNode | undefined {
  const { first } = run;
  const own = run.top - Math.max(base, first);
  const all = run.top - first;
  // The nodes of lanes below this one are not run before this one ends: they may all go.
  const share = own === all ? all >> 1 : Math.max(all >> 1, all - own);
  if (share === 0) return undefined;
  if (run.isAlone) {
    run.isAlone = false;
    packAll(run);
  }
  const chain = chainOf(run, first, first + share);
  run.first = first + share;
  const id = add(run.words, W_TOKENS, 1);
  return { handle: fork(graphLane, job, chain, id), id };
}

/** Joins the newest task of a lane, and goes on with the nodes that come back. */
function takeBack(run: GraphRun, { handle, id }: ForkedNode): void {
  const outer = run.taking;
  run.taking = id;
  try {
    unchain(run, join(handle));
  } finally {
    run.taking = outer;
  }
}

/**
 * Checks whether a lane has no nodes left. If so, the list begins again where the lane began, unless nodes of lanes below
 * are in it.
 */
function isEmpty(run: GraphRun, base: number): boolean {
  if (run.top > base && run.top > run.first) return false;
  run.top = base;
  run.first = Math.min(run.first, base);
  return true;
}

/** Checks whether the thread has a node to give away. On a path it has none, so whether others ask is not looked up for each node. */
const hasTwo = ({ top, first }: GraphRun): boolean => top - first > 1;

/**
 * Runs nodes of the thread's list from position `base` on, and all that they make ready.
 *
 * @returns the chain of nodes that are left, if all lanes unwind
 */
function drain(run: GraphRun, job: number, base: number, isRoot: boolean, tokens: ForkedNode[]): number {
  const { words } = run;
  for (;;) {
    loopCheckpoint();
    // plain: a hint
    if (words[W_UNWIND] !== 0) {
      for (let token = tokens.pop(); token !== undefined; token = tokens.pop()) takeBack(run, token);
      if (!isRoot) return isEmpty(run, base) ? NO_CHAIN : chainOf(run, Math.max(base, run.first), run.top);
      store(words, W_UNWIND, 0); // no other lane is left
    }
    if (hasTwo(run) && isAskedBy('others')) {
      const token = offer(run, job, base);
      if (token !== undefined) tokens.push(token);
    }
    if (!isEmpty(run, base)) {
      runNewest(run);
      continue;
    }
    const token = tokens.pop();
    if (token === undefined) return NO_CHAIN;
    takeBack(run, token);
    if (isRoot && tokens.length === 0) run.isAlone = !run.checked;
  }
}

/** A lane that begins with a chain, and ends with one. */
const runLane = (job: number, chain: number, id: number): number => {
  const run = runOf(job);
  if (run.taking === id) return chain; // its own lane takes it back
  if (run.depth >= (run.spec.parallelism > 2 ? MOST_LANES : MOST_LANES_OF_TWO)) {
    store(run.words, W_UNWIND, 1); // L3
    return chain;
  }
  const { top: base, first } = run;
  run.depth++;
  try {
    unchain(run, chain);
    return drain(run, job, base, false, []);
  } finally {
    run.depth--;
    run.top = base;
    run.first = Math.min(Math.max(first, run.first), base);
  }
};

const graphLane: Forkable<[job: number, chain: number, id: number], number> = builtin('graphLane', runLane, MANY);

function beginAll(run: GraphRun): void {
  run.begin();
  run.isAlone = !run.checked;
  run.depth++;
  for (const node of run.topology.starts) push(run, node);
}

const ended = ({ topology }: GraphRun, job: number): void => observerHere()?.graphEnded(job, () => edgesIn(topology));

/** Runs the whole graph on a thread that has no others, node by node, and gives its result. */
export function* graphSteps(job: number): Generator<void, unknown, void> {
  const run = runOf(job);
  try {
    beginAll(run);
    for (; !isEmpty(run, 0); yield) runNewest(run);
    ended(run, job);
    return outcomeOf(run);
  } finally {
    freeResults(run);
  }
}

/** Runs the whole graph, and gives its result. */
const runRoot = (job: number, _from: number): unknown => {
  const run = runOf(job);
  const tokens: ForkedNode[] = [];
  try {
    beginAll(run);
    drain(run, job, 0, true, tokens);
    ended(run, job);
    return outcomeOf(run);
  } catch (error) {
    quietly(run, tokens);
    throw error;
  } finally {
    freeResults(run);
  }
};

export const graphRoot = builtin('graphRoot', runRoot, MANY);

/** Waits for the lanes of a run that was cancelled, so that its results can be freed. */
function quietly(run: GraphRun, tokens: ForkedNode[]): void {
  for (let token = tokens.pop(); token !== undefined; token = tokens.pop()) {
    try {
      takeBack(run, token);
    } catch {
      // it was cancelled, too
    }
  }
}
