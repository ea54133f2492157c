/** The recursion of three-mesh-bvh, with its own functions, over arrays that tasks can share. */
import { getBounds } from 'three-mesh-bvh/src/core/build/computeBoundsUtils.js';
import { partition } from 'three-mesh-bvh/src/core/build/sortUtils.js';
import { getOptimalSplit } from 'three-mesh-bvh/src/core/build/splitUtils.js';

export interface Tree {
  readonly strategy: number;
  /** The corners of each triangle. */
  readonly index: Uint32Array;
  /** The middle and half of the width of each triangle, by axis. */
  readonly boxes: Float32Array;
  /** The nodes: a box of six floats and two words each, of one buffer. */
  readonly floats: Float32Array;
  readonly words: Uint32Array;
}

/** Words of a node; the last two are a leaf's first triangle and their number, or how far the right child is and the axis. */
export const NODE_WORDS = 8;
const LEAF_FLAG = 0xffff_0000;
const LEAF_TRIANGLES = 10;
const MAX_DEPTH = 40;
const CORNERS = 3;

const bounds = new Float32Array(6);
const middles = new Float32Array(6);

/** Writes a node, and divides its triangles; returns how many go to the left child, or 0 for a leaf. */
export function divide(tree: Tree, offset: number, count: number, node: number, depth: number): number {
  const { strategy, index, boxes, floats, words } = tree;
  getBounds(boxes, offset, count, bounds, middles);
  floats.set(bounds, NODE_WORDS * node);
  if (count > LEAF_TRIANGLES && depth < MAX_DEPTH) {
    const split = getOptimalSplit(bounds, middles, boxes, offset, count, strategy);
    const left = split.axis < 0 ? 0 : partition(index, CORNERS, boxes, offset, count, split) - offset;
    if (left > 0 && left < count) {
      words[NODE_WORDS * node + 6] = 2 * left; // relative to this node
      words[NODE_WORDS * node + 7] = split.axis;
      return left;
    }
  }
  words[NODE_WORDS * node + 6] = offset;
  words[NODE_WORDS * node + 7] = LEAF_FLAG | count;
  return 0;
}

/**
 * Builds the subtree of a range of triangles from `node` on. A tree of n triangles has at most 2n - 1 nodes, and gets the room for
 * so many; so it is known where the right child begins before the left one is built.
 */
export function build(offset: number, count: number, node: number, depth: number, tree: Tree): void {
  const left = divide(tree, offset, count, node, depth);
  if (left === 0) return;
  build(offset, left, node + 1, depth + 1, tree);
  build(offset + left, count - left, node + 2 * left, depth + 1, tree);
}

/** Writes the boxes of triangles [lo, hi), widened by what rounding may have lost, as the library does. */
export function writeBoxes(
  lo: number,
  hi: number,
  context: Pick<Tree, 'index' | 'boxes'> & { positions: Float32Array },
): void {
  const { index, boxes, positions } = context;
  for (let triangle = lo; triangle < hi; triangle++) {
    for (let axis = 0; axis < 3; axis++) {
      const a = positions[3 * index[3 * triangle] + axis];
      const b = positions[3 * index[3 * triangle + 1] + axis];
      const c = positions[3 * index[3 * triangle + 2] + axis];
      const [low, high] = [Math.min(a, b, c), Math.max(a, b, c)];
      const half = (high - low) / 2;
      boxes[6 * triangle + 2 * axis] = low + half;
      boxes[6 * triangle + 2 * axis + 1] = half + (Math.abs(low) + half) * 2 ** -24;
    }
  }
}
