// Sums a balanced binary tree of 1,023 nodes, with a task for every left child. The tree is stored in an array like a heap: the
// children of node i are 2i + 1 and 2i + 2.
import { fork, forkable, join, RecursiveTask } from 'furcate';

const NODES = 1023;
const FIRST_LEAF = NODES >> 1;
const values = Float64Array.from({ length: NODES }, (_, i) => i + 1);

export class TreeSum extends RecursiveTask {
  static {
    this.register(import.meta.url, 'TreeSum');
  }

  node;

  constructor(node) {
    super();
    this.node = node;
  }

  compute() {
    const { node } = this;
    if (node >= FIRST_LEAF) return values[node];
    const left = new TreeSum(2 * node + 1).fork();
    const right = new TreeSum(2 * node + 2).compute();
    return values[node] + left.join() + right;
  }
}

export const treeSum = forkable(import.meta.url, 'treeSum', (node) => {
  if (node >= FIRST_LEAF) return values[node];
  const left = fork(treeSum, 2 * node + 1);
  const right = treeSum(2 * node + 2);
  return values[node] + join(left) + right;
});

export function plainTreeSum(node) {
  if (node >= FIRST_LEAF) return values[node];
  return values[node] + plainTreeSum(2 * node + 1) + plainTreeSum(2 * node + 2);
}
