/** The tasks, in a module of their own: threads import it, and need not load three.js, in which no task has anything to do. */
import { fork, forkable, join } from 'furcate';
import { build, divide, type Tree, writeBoxes } from './build.js';

/** Triangles that a task divides by itself: about 1 ms. */
const LEAF = 5_000;

export const boxesTask = forkable(import.meta.url, 'boxesTask', writeBoxes);

export const buildTask = forkable(
  import.meta.url,
  'buildTask',
  (offset: number, count: number, node: number, depth: number, tree: Tree): void => {
    if (count <= LEAF) {
      build(offset, count, node, depth, tree);
      return;
    }
    const left = divide(tree, offset, count, node, depth);
    if (left === 0) return;
    const right = fork(buildTask, offset + left, count - left, node + 2 * left, depth + 1, tree);
    buildTask(offset, left, node + 1, depth + 1, tree);
    join(right);
  },
);
