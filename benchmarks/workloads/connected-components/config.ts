/** Gives all vertices of a graph that edges connect the same number: the least of them. */
import { type Graph, randomGraph } from '../graph.js';
import type { Config } from '../workload.js';

export interface Labelled extends Graph {
  /** A number for each vertex; at first its own. */
  readonly labels: Uint32Array;
}

const number = ({ labels }: Labelled): void => void labels.set(labels.map((_, v) => v));

export const config: Config<number, Labelled, void> = {
  what: 'R-MAT; checked by a walk from the least vertex of each component',
  sizes: { '2^18 vertices': 18 },
  small: 8,
  open(bits, make) {
    const graph = randomGraph(bits, make);
    const labelled = { ...graph, labels: make(Uint32Array, graph.vertices) };
    number(labelled);
    return labelled;
  },
  restore: number,
  answer: ({ labels }) => labels.reduce((sum, label, v) => (Math.imul(sum, 31) + label * (v + 1)) | 0, 0),
  expected({ vertices, starts, targets }) {
    const least = new Int32Array(vertices).fill(-1);
    for (let v = 0; v < vertices; v++) {
      const stack = least[v] < 0 ? [v] : [];
      while (stack.length > 0) {
        const u = stack.pop()!;
        if (least[u] >= 0) continue;
        least[u] = v;
        for (const w of targets.subarray(starts[u], starts[u + 1])) if (least[w] < 0) stack.push(w);
      }
    }
    return least.reduce((sum, label, v) => (Math.imul(sum, 31) + label * (v + 1)) | 0, 0);
  },
};
