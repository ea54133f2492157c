/**
 * Ready nodes: the list of a thread, of which the newest runs first, and chains on their way from thread to thread; on every thread that computes.
 *
 * A chain is linked through the words of its nodes. The number of its first node travels in a task, or comes back as its result. Links and chains are
 * node numbers + 1.
 */
import { push, runNode, skip } from './node.js';
import { FAILED_BEFORE } from './readiness.js';
import { packResult } from './results.js';
import { countAt, type GraphRun, isStopped, LOCAL, type RunWords, setState, stateOf } from './run.js';
import { argsFrom } from './topology.js';

/** Runs the newest node of the thread's list, or skips it. */
export function runNewest(run: GraphRun): void {
  const entry = run.ready[--run.top] as number;
  if (entry < 0) skip(run, ~entry);
  else if (isStopped(run)) skip(run, entry);
  else runNode(run, entry);
}

/** The end of a chain. */
export const NO_CHAIN = 0;

/** Links nodes of the thread's list, from position `from` to `to`, to a chain. Results that they take are packed. */
export function chainOf(run: GraphRun, from: number, to: number): number {
  const { topology, ready } = run;
  const { args } = topology;
  let chain = NO_CHAIN;
  for (let k = from; k < to; k++) {
    const entry = ready[k] as number;
    const node = entry < 0 ? ~entry : entry;
    if (run.values.size > 0) {
      for (let a = argsFrom(topology, node), end = argsFrom(topology, node + 1); a < end; a++) {
        const code = args[a] as number;
        if (code >= 0 && stateOf(run, code) === LOCAL) packResult(run, code);
      }
    }
    chain = link(run, node, chain);
  }
  return chain;
}

/** Takes what the thread's list has above position `base`, as a chain. */
export function takeFrom(run: GraphRun, base: number): number {
  const chain = chainOf(run, base, run.top);
  run.top = base;
  return chain;
}

/** Puts a node before a chain. */
export function link(run: RunWords, node: number, chain: number): number {
  setState(run, node, chain); // plain: published with the task that carries the chain, or with its end
  return node + 1;
}

/** The nodes of a chain. Each may be linked again once it was given. */
export function* nodesOf(run: RunWords, chain: number): Generator<number> {
  for (let next = chain; next !== NO_CHAIN; ) {
    const node = next - 1;
    next = stateOf(run, node); // plain: see link
    yield node;
  }
}

/** Checks whether a ready node is one that is to be skipped. */
export const isSkipped = ({ nodes }: RunWords, node: number): boolean =>
  ((nodes[countAt(node)] as number) & FAILED_BEFORE) !== 0; // plain: nobody counts a ready node down

/** Puts the nodes of a chain onto the thread's list. */
export function unchain(run: GraphRun, chain: number): void {
  for (let next = chain; next !== NO_CHAIN; ) {
    const node = next - 1;
    next = stateOf(run, node); // plain: see link
    push(run, isSkipped(run, node) ? ~node : node);
  }
}
