/** Lays out a graph by forces between its vertices: ForceAtlas2 of graphology. */
import { MultiUndirectedGraph } from 'graphology';
import { randomNumbers } from '../random.js';
import type { Config } from '../workload.js';
import { sequential } from './sequential.js';

export interface Layout {
  readonly graph: MultiUndirectedGraph;
  readonly iterations: number;
}

export type Places = Readonly<Record<string, { readonly x: number; readonly y: number }>>;

const EDGES_EACH = 3;

const right = new WeakMap<Layout, Places>();

export const config: Config<{ vertices: number; iterations: number }, Layout, Places> = {
  what: 'ForceAtlas2, every vertex meets every other one; checked against the library',
  sizes: { '3,000 vertices, 5 iterations': { vertices: 3000, iterations: 5 } },
  small: { vertices: 60, iterations: 3 },
  open({ vertices, iterations }) {
    const random = randomNumbers(4);
    const graph = new MultiUndirectedGraph();
    for (let v = 0; v < vertices; v++) graph.addNode(v, { x: 1000 * random(), y: 1000 * random() });
    for (let v = 1; v < vertices; v++) for (let k = 0; k < EDGES_EACH; k++) graph.addEdge(v, Math.floor(random() * v));
    return { graph, iterations };
  },
  answer(layout, places) {
    if (!right.has(layout)) right.set(layout, sequential(layout));
    const far = Object.entries(right.get(layout)!).map(([v, { x, y }]) => Math.hypot(places[v].x - x, places[v].y - y));
    // The library adds forces in another order, to numbers of 24 bits. Vertices that are close to each other make much of such a difference, so the middle one counts.
    const error = far.sort((a, b) => a - b)[far.length >> 1];
    return error < 0.01 ? 'right' : `an error of ${error}`;
  },
  expected: () => 'right',
};
