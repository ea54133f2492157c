/** Counts the nodes of a tree with a task for every node: calls of a function, or objects. */
import { type Fork, fork, forkable, join, RecursiveTask } from 'furcate';
import type { Ways } from '../workload.js';
import { type Shape, TREES, type Tree } from './config.js';
import { randomOf } from './sequential.js';
import { childState, rootState, STATE_WORDS } from './sha-1.js';

const state = new Int32Array(STATE_WORDS);
const NAMES = Object.keys(TREES) as Tree[];
const SHAPES: readonly Shape[] = Object.values(TREES);

const countNodes = forkable(
  import.meta.url,
  'countNodes',
  (tree: number, depth: number, s0: number, s1: number, s2: number, s3: number, s4: number): number => {
    const children = SHAPES[tree].children(depth, randomOf(s4));
    if (children === 0) return 1;
    const forked: Fork<number>[] = [];
    for (let i = 0; i < children; i++) {
      childState(s0, s1, s2, s3, s4, i, state);
      forked.push(fork(countNodes, tree, depth + 1, state[0], state[1], state[2], state[3], state[4]));
    }
    let nodes = 1;
    while (forked.length > 0) nodes += join(forked.pop()!);
    return nodes;
  },
);

class CountNodes extends RecursiveTask<number> {
  static {
    this.register(import.meta.url, 'CountNodes');
  }
  tree: number;
  depth: number;
  s0: number;
  s1: number;
  s2: number;
  s3: number;
  s4: number;

  /** The node has the state that was computed last. */
  constructor(tree: number, depth: number) {
    super();
    this.tree = tree;
    this.depth = depth;
    this.s0 = state[0];
    this.s1 = state[1];
    this.s2 = state[2];
    this.s3 = state[3];
    this.s4 = state[4];
  }

  compute(): number {
    const { tree, depth, s0, s1, s2, s3, s4 } = this;
    const children = SHAPES[tree].children(depth, randomOf(s4));
    if (children === 0) return 1;
    const forked: CountNodes[] = [];
    for (let i = 0; i < children; i++) {
      childState(s0, s1, s2, s3, s4, i, state);
      forked.push(new CountNodes(tree, depth + 1).fork());
    }
    let nodes = 1;
    while (forked.length > 0) nodes += forked.pop()!.join();
    return nodes;
  }
}

/** Computes the state of the root, and returns the number of the tree. */
function open(tree: Tree): number {
  rootState(TREES[tree].seed, state);
  return NAMES.indexOf(tree);
}

export const ways: Ways<Tree, number> = {
  'function tasks': (tree, pool) => {
    const number = open(tree);
    return pool.invoke(countNodes, number, 0, state[0], state[1], state[2], state[3], state[4]);
  },
  'class tasks': (tree, pool) => pool.invoke(new CountNodes(open(tree), 0)),
};
