/** Counts the nodes of a tree by recursion. */
import { type Shape, TREES, type Tree } from './config.js';
import { childState, rootState, STATE_WORDS } from './sha-1.js';

const state = new Int32Array(STATE_WORDS);

/** The random number of a state, from 0 up to 1. */
export const randomOf = (lastWord: number): number => (lastWord & 0x7fffffff) / 2 ** 31;

/** The nodes of the subtree below a node that has this state, with the node itself. */
function count(shape: Shape, depth: number, s0: number, s1: number, s2: number, s3: number, s4: number): number {
  const children = shape.children(depth, randomOf(s4));
  let nodes = 1;
  for (let i = 0; i < children; i++) {
    childState(s0, s1, s2, s3, s4, i, state);
    nodes += count(shape, depth + 1, state[0], state[1], state[2], state[3], state[4]);
  }
  return nodes;
}

export function sequential(tree: Tree): number {
  const shape: Shape = TREES[tree];
  rootState(shape.seed, state);
  const [s0, s1, s2, s3, s4] = state;
  return count(shape, 0, s0, s1, s2, s3, s4);
}
