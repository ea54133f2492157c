/** The distance of each vertex of a graph from one of them, in edges. */
import { type Graph, randomGraph } from '../graph.js';
import type { Config } from '../workload.js';

/** A distance that no vertex has. */
export const UNREACHED = 0xffffffff;

export interface Search extends Graph {
  readonly root: number;
  readonly distances: Uint32Array;
  /** Room for the vertices of even levels, and for those of odd ones, and how many of them there are. */
  readonly levels: readonly [even: Uint32Array, odd: Uint32Array];
  readonly lengths: Uint32Array;
}

export const config: Config<number, Search, void> = {
  what: 'a level after the other, R-MAT; checked as Graph500 does: neighbours are one level apart at most, and all but the root have one on the level before',
  sizes: { '2^18 vertices': 18 },
  small: 8,
  open(bits, make) {
    const graph = randomGraph(bits, make);
    const distances = make(Uint32Array, graph.vertices).fill(UNREACHED);
    const level = () => make(Uint32Array, graph.vertices);
    return { ...graph, root: graph.targets[0], distances, levels: [level(), level()], lengths: make(Uint32Array, 2) };
  },
  restore: ({ distances }) => void distances.fill(UNREACHED),
  answer({ vertices, starts, targets, root, distances }) {
    if (distances[root] !== 0) return `distance ${distances[root]} of the root`;
    for (let v = 0; v < vertices; v++) {
      const neighbours = targets.subarray(starts[v], starts[v + 1]);
      const isFar = (w: number): boolean =>
        (distances[w] === UNREACHED) !== (distances[v] === UNREACHED) || Math.abs(distances[w] - distances[v]) > 1;
      if (neighbours.some(isFar)) return `vertex ${v} is far from a neighbour`;
      const hasParent =
        distances[v] === UNREACHED || v === root || neighbours.some((w) => distances[w] === distances[v] - 1);
      if (!hasParent) return `vertex ${v} has no parent`;
    }
    return 'right';
  },
  expected: () => 'right',
};
