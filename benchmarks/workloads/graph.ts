/** Random graphs whose degrees are as unequal as those of social networks: R-MAT (Chakrabarti, Zhan and Faloutsos 2004). */
import { randomNumbers } from './random.js';
import type { Make } from './workload.js';

/** The edges of each vertex, in both directions. */
export interface Graph {
  readonly vertices: number;
  /** Where the neighbours of each vertex begin in `targets`, and at the end their number. */
  readonly starts: Uint32Array;
  readonly targets: Uint32Array;
}

const EDGES_EACH = 8;
/** Shares of the quarters of the matrix, as in Graph500: 0.57, 0.19, 0.19, and the rest. */
const [A, B, C] = [0.57, 0.19, 0.19];

/** @param bits there are 2 ** bits vertices, and eight times as many edges */
export function randomGraph(bits: number, make: Make): Graph {
  const vertices = 2 ** bits;
  const random = randomNumbers(7);
  // Names that are not in the order of the degrees.
  const names = new Uint32Array(vertices).map((_, i) => i);
  for (let i = vertices - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [names[i], names[j]] = [names[j], names[i]];
  }
  const ends = new Uint32Array(2 * EDGES_EACH * vertices);
  for (let edge = 0; edge < ends.length; edge += 2) {
    let [from, to] = [0, 0];
    for (let bit = 0; bit < bits; bit++) {
      const quarter = random();
      from = 2 * from + (quarter >= A + B ? 1 : 0);
      to = 2 * to + (quarter >= A && (quarter < A + B || quarter >= A + B + C) ? 1 : 0);
    }
    ends[edge] = names[from];
    ends[edge + 1] = names[to];
  }
  const starts = make(Uint32Array, vertices + 1);
  for (const end of ends) starts[end + 1]++;
  for (let v = 0; v < vertices; v++) starts[v + 1] += starts[v];
  const targets = make(Uint32Array, ends.length);
  const next = starts.slice();
  for (let edge = 0; edge < ends.length; edge += 2) {
    targets[next[ends[edge]]++] = ends[edge + 1];
    targets[next[ends[edge + 1]]++] = ends[edge];
  }
  return { vertices, starts, targets };
}
