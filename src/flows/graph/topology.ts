/**
 * A graph as arrays in shared memory, which all of its runs on all threads read; made once, on the thread that builds.
 *
 * ```
 *   nodes         for each node, four words in one cache line:
 *                   WORK   what it does (draft.ts)
 *                   ARGS   where its arguments begin in `args`; they end where those of the next node begin
 *                   NEXT   where its successors begin in `next`: each node once that waits for this one
 *                   USES   how many nodes take its result
 *   waitsFor[n]   how many nodes it waits for
 *   starts        the nodes that wait for none
 * ```
 */
import { sharedArray } from '../../core/engine.js';
import { type Draft, GATE, MERGE, mergesOf, NO_ARM } from './draft.js';

export interface Topology {
  readonly nodes: Int32Array;
  readonly args: Int32Array;
  readonly next: Int32Array;
  readonly waitsFor: Int32Array;
  readonly starts: Int32Array;
  readonly numbers: Float64Array;
}

const T_WORK = 0;
const T_ARGS = 1;
const T_NEXT = 2;
const T_USES = 3;
/** Words of a node, as a shift. */
const NODE_SHIFT = 2;

export const sizeOf = ({ nodes }: Topology): number => (nodes.length >> NODE_SHIFT) - 1;
export const workOf = ({ nodes }: Topology, node: number): number => nodes[(node << NODE_SHIFT) + T_WORK] as number;
/** For the number of nodes, too: where the last one's arguments end. */
export const argsFrom = ({ nodes }: Topology, node: number): number => nodes[(node << NODE_SHIFT) + T_ARGS] as number;
export const nextFrom = ({ nodes }: Topology, node: number): number => nodes[(node << NODE_SHIFT) + T_NEXT] as number;
export const usesOf = ({ nodes }: Topology, node: number): number => nodes[(node << NODE_SHIFT) + T_USES] as number;

/** The edges of a graph, by the nodes where they begin. */
interface Edges {
  readonly start: Int32Array;
  readonly ends: Int32Array;
}

/** Calls `edge(before, after)` for each pair of nodes of which one waits for the other. */
function eachEdge(draft: Draft, edge: (before: number, after: number) => void): void {
  const { args, argEnd, arm, gates, work } = draft;
  const taker = new Int32Array(draft.size).fill(-1); // the last node that takes the result of each
  let at = 0;
  for (let node = 0; node < draft.size; node++) {
    for (; at < (argEnd[node] as number); at++) {
      const code = args[at] as number;
      if (code < 0 || taker[code] === node) continue;
      taker[code] = node;
      edge(code, node);
    }
    const inArm = arm[node] as number;
    if (inArm !== NO_ARM && work[node] !== GATE && work[node] !== MERGE) edge(gates[inArm] as number, node);
  }
  for (const [node, choice] of draft.choices) for (const gate of choice.gates) edge(node, gate);
  draft.eachOrder(edge);
}

function edgesOf(draft: Draft): Edges {
  const start = new Int32Array(draft.size + 2);
  eachEdge(draft, (before) => {
    start[before + 2]++;
  });
  for (let node = 0; node < draft.size; node++) start[node + 2] += start[node + 1] as number;
  const ends = new Int32Array(start[draft.size + 1] as number);
  eachEdge(draft, (before, after) => {
    ends[start[before + 1]++] = after;
  });
  return { start, ends };
}

/** @throws TypeError that names the nodes of a circle, if there is one */
function refuseCircles(draft: Draft, { start, ends }: Edges, waitsFor: Int32Array): void {
  const left = waitsFor.slice();
  const ready: number[] = [];
  for (let node = 0; node < draft.size; node++) if (left[node] === 0) ready.push(node);
  let done = 0;
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    done++;
    for (let k = start[node] as number; k < (start[node + 1] as number); k++) {
      const next = ends[k] as number;
      if (--left[next] === 0) ready.push(next);
    }
  }
  if (done === draft.size) return;
  const before = new Map<number, number>();
  for (let node = 0; node < draft.size; node++) {
    if (left[node] === 0) continue;
    for (let k = start[node] as number; k < (start[node + 1] as number); k++) before.set(ends[k] as number, node);
  }
  let node = left.findIndex((count) => count > 0);
  const seen = new Set<number>();
  for (; !seen.has(node); node = before.get(node) as number) seen.add(node);
  const circle = [node];
  for (let k = before.get(node) as number; k !== node; k = before.get(k) as number) circle.unshift(k);
  const names = [node, ...circle].map((one) => draft.nameOf(one)).join(' -> ');
  throw new TypeError(
    `furcate: taskGraph ${draft.name}: nodes wait for each other: ${names}. Leave one of these out of g.after(); for a loop, run a graph again and again.`,
  );
}

/** All edges of a graph. */
export function* edgesIn(topology: Topology): Generator<readonly [before: number, after: number]> {
  for (let node = 0; node < sizeOf(topology); node++)
    for (let k = nextFrom(topology, node), end = nextFrom(topology, node + 1); k < end; k++)
      yield [node, topology.next[k] as number];
}

/** Description of each node: what it does, takes and is followed by. One more than there are nodes ends the last one's lists. */
function nodesOf({ work, argEnd, args, size, output }: Draft, { start }: Edges): Int32Array {
  const nodes = new Int32Array((size + 1) << NODE_SHIFT);
  for (let node = 0; node <= size; node++) {
    const at = node << NODE_SHIFT;
    if (node < size) nodes[at + T_WORK] = work[node] as number;
    if (node > 0) nodes[at + T_ARGS] = argEnd[node - 1] as number;
    nodes[at + T_NEXT] = start[node] as number;
  }
  for (const code of args) if (code >= 0) nodes[(code << NODE_SHIFT) + T_USES]++;
  if (output >= 0) nodes[(output << NODE_SHIFT) + T_USES]++; // the run itself
  return nodes;
}

/** @throws TypeError if nodes wait for each other in a circle */
export function topologyOf(draft: Draft): Topology {
  const edges = edgesOf(draft);
  const waitsFor = new Int32Array(draft.size);
  for (const node of edges.ends) waitsFor[node]++;
  refuseCircles(draft, edges, waitsFor);
  // One arm of a choice runs: its result alone is waited for.
  for (const choice of draft.choices.values())
    for (const merge of mergesOf(choice)) waitsFor[merge] -= choice.gates.length;
  const starts = [...waitsFor.keys()].filter((node) => waitsFor[node] === 0);
  return {
    nodes: sharedArray(Int32Array, nodesOf(draft, edges)),
    args: sharedArray(Int32Array, draft.args),
    next: sharedArray(Int32Array, edges.ends),
    waitsFor: sharedArray(Int32Array, waitsFor),
    starts: sharedArray(Int32Array, starts),
    numbers: sharedArray(Float64Array, draft.numbers),
  };
}
