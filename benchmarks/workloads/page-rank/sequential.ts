/** In each round, a page adds up what the pages give that link to it. */
import { DAMPING, ROUNDS, type Web } from './config.js';

export function sequential({ vertices, starts, targets, ranks, given, next }: Web): void {
  const degree = (v: number): number => starts[v + 1] - starts[v];
  for (let v = 0; v < vertices; v++) given[v] = 1 / vertices / degree(v);
  for (let round = 0; round < ROUNDS; round++) {
    for (let v = 0; v < vertices; v++) {
      let sum = 0;
      for (let edge = starts[v]; edge < starts[v + 1]; edge++) sum += given[targets[edge]];
      ranks[v] = (1 - DAMPING) / vertices + DAMPING * sum;
      next[v] = ranks[v] / degree(v);
    }
    [given, next] = [next, given];
  }
}
