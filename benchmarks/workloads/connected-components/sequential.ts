/** Joins the trees of both ends of each edge (Tarjan's disjoint sets): each vertex knows its parent, and the least vertex of a tree is its root. */
import type { Labelled } from './config.js';

export function sequential({ vertices, starts, targets, labels }: Labelled): void {
  const rootOf = (v: number): number => {
    while (labels[v] !== v) {
      labels[v] = labels[labels[v]]; // halves the path for the next search
      v = labels[v];
    }
    return v;
  };
  for (let v = 0; v < vertices; v++) {
    for (let edge = starts[v]; edge < starts[v + 1]; edge++) {
      if (targets[edge] < v) continue; // each edge once
      const a = rootOf(v);
      const b = rootOf(targets[edge]);
      labels[Math.max(a, b)] = Math.min(a, b);
    }
  }
  for (let v = 0; v < vertices; v++) labels[v] = rootOf(v);
}
