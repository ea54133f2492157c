/** Joins trees on all threads, and then gives each vertex its root. */
import { parallelForRange } from 'furcate';
import type { Ways } from '../workload.js';
import type { Labelled } from './config.js';
import { flatten, joinTrees } from './loops.js';

export const ways: Ways<Labelled, void> = {
  async ''(graph, pool) {
    await parallelForRange(graph.vertices, joinTrees, { pool, context: graph });
    await parallelForRange(graph.vertices, flatten, { pool, context: graph });
  },
};
