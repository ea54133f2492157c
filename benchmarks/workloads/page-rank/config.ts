/** The share of visits of each page, of visitors who follow links at random (Page and others 1999). */
import { type Graph, randomGraph } from '../graph.js';
import type { Config } from '../workload.js';

export const ROUNDS = 20;
export const DAMPING = 0.85;

export interface Web extends Graph {
  /** The result: the shares after the last round. */
  readonly ranks: Float64Array;
  /** What a page gives to each of its links, in this round and in the next. */
  readonly given: Float64Array;
  readonly next: Float64Array;
}

/** The ranks, computed by pushing shares along links, and not by pulling them. */
function pushedRanks({ vertices, starts, targets }: Graph): Float64Array {
  let ranks = new Float64Array(vertices).fill(1 / vertices);
  for (let round = 0; round < ROUNDS; round++) {
    const next = new Float64Array(vertices).fill((1 - DAMPING) / vertices);
    for (let v = 0; v < vertices; v++) {
      const links = targets.subarray(starts[v], starts[v + 1]);
      for (const w of links) next[w] += (DAMPING * ranks[v]) / links.length;
    }
    ranks = next;
  }
  return ranks;
}

const pushed = new WeakMap<Web, Float64Array>();

export const config: Config<number, Web, void> = {
  what: `${ROUNDS} rounds, R-MAT; checked by a version that pushes shares along links`,
  sizes: { '2^18 pages': 18 },
  small: 8,
  open(bits, make) {
    const graph = randomGraph(bits, make);
    const array = () => make(Float64Array, graph.vertices);
    return { ...graph, ranks: array(), given: array(), next: array() };
  },
  restore: ({ ranks }) => void ranks.fill(0),
  answer(web) {
    const right = pushed.get(web) ?? pushedRanks(web);
    pushed.set(web, right);
    const error = web.ranks.reduce((most, rank, v) => Math.max(most, Math.abs(rank - right[v])), 0);
    return error < 1e-12 ? 'right' : `an error of ${error}`;
  },
  expected: () => 'right',
};
