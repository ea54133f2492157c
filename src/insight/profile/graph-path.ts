/** The costliest path through a graph; on every thread that is observed, and on the one that called `profile`. */
import { type Label, later, type Point } from './point.js';

export type GraphEdges = readonly (readonly [before: number, after: number])[];

export interface NodeCost {
  readonly label: Label;
  readonly cost: number;
}

/** @param start where nodes begin that wait for none @param nodes those that have run @returns where all have ended */
export function endOfGraph(start: Point, nodes: ReadonlyMap<number, NodeCost>, edges: GraphEdges): Point {
  const after = new Map<number, number[]>();
  const waitsFor = new Map<number, number>();
  for (const [one, other] of edges) {
    const list = after.get(one);
    if (list === undefined) after.set(one, [other]);
    else list.push(other);
    waitsFor.set(other, (waitsFor.get(other) ?? 0) + 1);
  }
  const begins = new Map<number, Point>();
  const ready = [...new Set([...nodes.keys(), ...after.keys()])].filter((node) => !waitsFor.has(node));
  let last = start;
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    const begin = begins.get(node) ?? start;
    const own = nodes.get(node);
    const end = own === undefined ? begin : begin.plus(own.label, own.cost);
    last = later(last, end);
    for (const next of after.get(node) ?? []) {
      begins.set(next, later(begins.get(next) ?? start, end));
      const left = (waitsFor.get(next) as number) - 1;
      waitsFor.set(next, left);
      if (left === 0) ready.push(next);
    }
  }
  return last;
}
