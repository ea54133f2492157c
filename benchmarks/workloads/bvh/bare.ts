/** The boxes and the divisions by hand: parts by a counter, then subtrees from a pile that both workers put the right halves on. */
import type { MeshBVH } from 'three-mesh-bvh';
import { Pile } from '../pile.js';
import type { Bare, Caller } from '../team.js';
import { build, divide, NODE_WORDS, type Tree, writeBoxes } from './build.js';
import type { Mesh } from './config.js';

/** Triangles whose boxes a worker writes at once, and those that one builds by itself: about 1 ms. */
const PART = 16_384;
const LEAF = 5_000;
/** Numbers that a subtree has on the pile, and the most of them. */
const WIDTH = 4;
const ROOM = 10_000;

interface Shared extends Omit<Tree, 'floats' | 'words'> {
  readonly positions: Float32Array;
  readonly pile: Int32Array;
}

export const caller: Caller<Mesh, Shared, SharedArrayBuffer, void, MeshBVH> = {
  share({ geometry, strategy, boxes }) {
    const index = geometry.getIndex()!.array as Uint32Array;
    const positions = geometry.getAttribute('position').array as Float32Array;
    return { strategy, index, positions, boxes, pile: Pile.words(ROOM, WIDTH) };
  },
  open: (_, { index }) => new SharedArrayBuffer(4 * NODE_WORDS * ((2 * index.length) / 3 - 1)),
  async close({ input: { geometry }, shared: { index }, message }) {
    const { MeshBVH } = await import('three-mesh-bvh'); // workers do not need it
    return MeshBVH.deserialize({ roots: [message], index, indirectBuffer: null, version: 1 } as never, geometry);
  },
};

export const bare: Bare<Shared, SharedArrayBuffer> = (shared, team, nodes) => {
  const n = shared.index.length / 3;
  const tree = { ...shared, floats: new Float32Array(nodes), words: new Uint32Array(nodes) };
  const pile = new Pile(shared.pile, WIDTH);
  for (const [lo, hi] of team.parts(n, PART)) writeBoxes(lo, hi, shared);
  team.barrier(() => pile.begin(0, n, 0, 0));
  const taken = new Int32Array(WIDTH);
  while (pile.take(taken)) {
    let [offset, count, node, depth] = taken;
    while (count > LEAF) {
      const left = divide(tree, offset, count, node, depth++);
      if (left === 0) break;
      pile.put(offset + left, count - left, node + 2 * left, depth);
      [count, node] = [left, node + 1];
    }
    if (count <= LEAF) build(offset, count, node, depth, tree);
  }
};
