/**
 * A graph as arrays in shared memory, which all of its runs on all threads read; made once, on the thread that builds.
 *
 * ```
 *   work[n]       what node n does (draft.ts)
 *   argStart[n]   where its arguments begin in `args`; they end where those of node n + 1 begin
 *   nextStart[n]  where its successors begin in `next`: each node once that waits for node n
 *   waitsFor[n]   how many nodes it waits for
 *   uses[n]       how many nodes take its result
 *   starts        the nodes that wait for none
 * ```
 */
import { sharedArray } from '../../core/engine.js';
import { type Draft, GATE, MERGE, NO_ARM } from './draft.js';

export interface Topology {
  readonly work: Int32Array;
  readonly argStart: Int32Array;
  readonly args: Int32Array;
  readonly nextStart: Int32Array;
  readonly next: Int32Array;
  readonly waitsFor: Int32Array;
  readonly uses: Int32Array;
  readonly starts: Int32Array;
  readonly numbers: Float64Array;
}

/** The edges of a graph, by the nodes where they begin. */
interface Edges {
  readonly start: Int32Array;
  readonly ends: Int32Array;
}

/** Calls `edge(before, after)` for each pair of nodes of which one waits for the other. */
function eachEdge(draft: Draft, edge: (before: number, after: number) => void): void {
  const { args, argEnd, order, arm, gates, work } = draft;
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
  for (let k = 0; k < order.length; k += 2) edge(order[k] as number, order[k + 1] as number);
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

/** How many nodes take the result of each node. */
function usesOf({ args, size, output }: Draft): Int32Array {
  const uses = new Int32Array(size);
  for (const code of args) if (code >= 0) uses[code]++;
  if (output >= 0) uses[output]++; // the run itself
  return uses;
}

/** @throws TypeError if nodes wait for each other in a circle */
export function topologyOf(draft: Draft): Topology {
  const edges = edgesOf(draft);
  const waitsFor = new Int32Array(draft.size);
  for (const node of edges.ends) waitsFor[node]++;
  refuseCircles(draft, edges, waitsFor);
  // One arm of a choice runs: its result alone is waited for.
  for (const { merge, gates } of draft.choices.values()) waitsFor[merge] -= gates.length;
  const starts = [...waitsFor.keys()].filter((node) => waitsFor[node] === 0);
  return {
    work: sharedArray(Int32Array, draft.work),
    argStart: sharedArray(Int32Array, [0, ...draft.argEnd]),
    args: sharedArray(Int32Array, draft.args),
    nextStart: sharedArray(Int32Array, edges.start.subarray(0, draft.size + 1)),
    next: sharedArray(Int32Array, edges.ends),
    waitsFor: sharedArray(Int32Array, waitsFor),
    uses: sharedArray(Int32Array, usesOf(draft)),
    starts: sharedArray(Int32Array, starts),
    numbers: sharedArray(Float64Array, draft.numbers),
  };
}
