/** The rounds by hand: parts by a counter, and a barrier behind each round. */
import type { Bare } from '../team.js';
import { DAMPING, ROUNDS, type Web } from './config.js';

const PART = 4096;

export const bare: Bare<Web> = ({ vertices, starts, targets, ranks, ...web }, team) => {
  let { given, next } = web;
  for (const [lo, hi] of team.parts(vertices, PART))
    for (let v = lo; v < hi; v++) given[v] = 1 / vertices / (starts[v + 1] - starts[v]);
  team.barrier();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [lo, hi] of team.parts(vertices, PART)) {
      for (let v = lo; v < hi; v++) {
        let sum = 0;
        for (let edge = starts[v]; edge < starts[v + 1]; edge++) sum += given[targets[edge]];
        ranks[v] = (1 - DAMPING) / vertices + DAMPING * sum;
        next[v] = ranks[v] / (starts[v + 1] - starts[v]);
      }
    }
    team.barrier();
    [given, next] = [next, given];
  }
};
