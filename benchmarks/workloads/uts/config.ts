/**
 * Unbalanced tree search (Olivier and others 2006): counts the nodes of a tree whose shape a chain of SHA-1 hashes decides. Nobody knows the size of a
 * subtree before it has been counted. Parameters and answers are those of `sample_trees.sh` in the authors' program.
 */
import type { Config } from '../workload.js';

/** A tree; its number stands for it in tasks. */
export type Tree = keyof typeof TREES;

/** `children` of a node depend on its depth and on a random number from 0 up to 1. */
export interface Shape {
  readonly seed: number;
  readonly nodes: number;
  children(depth: number, random: number): number;
}

/** A geometric distribution whose expected value is `mean`. */
const geometric = (mean: number, random: number): number =>
  mean === 0 ? 0 : Math.floor(Math.log(1 - random) / Math.log(1 - 1 / (1 + mean)));

const BRANCHES = 4;

export const TREES = {
  /** Geometric, the same expected number of children at all depths below 10. */
  T1: {
    seed: 19,
    nodes: 4130071,
    children: (depth, random) => geometric(depth < 10 ? BRANCHES : 0, random),
  },
  /** Binomial: 2,000 children of the root, then 8 or none. */
  T3: {
    seed: 42,
    nodes: 4112897,
    children: (depth, random) => (depth === 0 ? 2000 : random < 0.124875 ? 8 : 0),
  },
  /** Geometric, the expected number of children falls with the depth, to none at 20. */
  T5: {
    seed: 34,
    nodes: 4147582,
    children: (depth, random) => geometric(BRANCHES * (1 - depth / 20), random),
  },
  /** As T1, down to a depth of 5; counted by a program in Python. */
  small: {
    seed: 19,
    nodes: 3987,
    children: (depth, random) => geometric(depth < 5 ? BRANCHES : 0, random),
  },
} satisfies Record<string, Shape>;

export const config: Config<Tree, Tree, number> = {
  what: 'trees of unknown shape, with published sizes',
  sizes: { T1: 'T1', T3: 'T3', T5: 'T5' },
  small: 'small',
  open: (tree) => tree,
  answer: (_, result) => result,
  expected: (tree) => TREES[tree].nodes,
};
