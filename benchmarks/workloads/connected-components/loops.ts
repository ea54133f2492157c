/** The loops that all threads share (Jayanti and Tarjan 2016): a root gets a parent by one compare-and-swap, which fails if another thread was first. */
import type { Labelled } from './config.js';

export const joinTrees = (lo: number, hi: number, { starts, targets, labels }: Labelled): void => {
  const rootOf = (v: number): number => {
    for (let parent = labels[v]; parent !== v; parent = labels[v]) {
      // Only ancestors ever take the place of a parent, so a lost write does no harm.
      labels[v] = labels[parent];
      v = parent;
    }
    return v;
  };
  for (let v = lo; v < hi; v++) {
    for (let edge = starts[v]; edge < starts[v + 1]; edge++) {
      if (targets[edge] < v) continue; // each edge once
      let [a, b] = [rootOf(v), rootOf(targets[edge])];
      while (a !== b) {
        const [least, greatest] = a < b ? [a, b] : [b, a];
        if (Atomics.compareExchange(labels, greatest, greatest, least) === greatest) break;
        [a, b] = [rootOf(a), rootOf(b)];
      }
    }
  }
};

export const flatten = (lo: number, hi: number, { labels }: Labelled): void => {
  for (let v = lo; v < hi; v++) {
    let root = labels[v];
    while (labels[root] !== root) root = labels[root];
    labels[v] = root;
  }
};
