/** The same two loops by hand: parts by a counter, and a barrier between the loops. */
import type { Bare } from '../team.js';
import type { Labelled } from './config.js';
import { flatten, joinTrees } from './loops.js';

const PART = 4096;

export const bare: Bare<Labelled> = (graph, team) => {
  for (const [lo, hi] of team.parts(graph.vertices, PART)) joinTrees(lo, hi, graph);
  team.barrier();
  for (const [lo, hi] of team.parts(graph.vertices, PART)) flatten(lo, hi, graph);
};
