/** The rounds of the sequential version, each on all threads. */
import { parallelFor } from 'furcate';
import type { Ways } from '../workload.js';
import { DAMPING, ROUNDS, type Web } from './config.js';

type Round = Web & { readonly damping: number };

const rank = (v: number, { vertices, starts, targets, ranks, given, next, damping }: Round): void => {
  let sum = 0;
  for (let edge = starts[v]; edge < starts[v + 1]; edge++) sum += given[targets[edge]];
  ranks[v] = (1 - damping) / vertices + damping * sum;
  next[v] = ranks[v] / (starts[v + 1] - starts[v]);
};

export const ways: Ways<Web, void> = {
  async ''(web, pool) {
    const { vertices, starts } = web;
    let { given, next } = web;
    for (let v = 0; v < vertices; v++) given[v] = 1 / vertices / (starts[v + 1] - starts[v]);
    for (let round = 0; round < ROUNDS; round++) {
      await parallelFor(vertices, rank, { pool, context: { ...web, given, next, damping: DAMPING } });
      [given, next] = [next, given];
    }
  },
};
