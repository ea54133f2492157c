/**
 * Writes the bytes of an index on all threads: `Flatbush.from` takes them. Sorts the boxes by their places on a Hilbert curve, and then makes the nodes of each level
 * from those of the level below.
 */
import Flatbush from 'flatbush';
import { forkable, parallelArgsort, parallelForRange, parallelMinMax, parallelTabulate } from 'furcate';
import type { Ways } from '../workload.js';
import type { Boxes } from './config.js';
import { hilbert } from './hilbert.js';

const NODE_SIZE = 16;
const HEADER_BYTES = 8;
const SIDE = 2 ** 16 - 1;

interface Placing extends Boxes {
  readonly min: number;
  readonly scale: number;
}

const key = forkable(import.meta.url, 'key', (i: number, { boxes, min, scale }: Placing): number => {
  const at = 4 * i;
  return hilbert(
    (scale * ((boxes[at] + boxes[at + 2]) / 2 - min)) | 0,
    (scale * ((boxes[at + 1] + boxes[at + 3]) / 2 - min)) | 0,
  );
});

interface Index {
  /** The boxes of all nodes, level by level. */
  readonly nodes: Float64Array;
  /** The box of each leaf, and the first child of each other node. */
  readonly indices: Uint16Array | Uint32Array;
}

const placeLeaves = forkable(
  import.meta.url,
  'placeLeaves',
  (lo: number, hi: number, { boxes, order, nodes, indices }: Boxes & Index & { order: Uint32Array }): void => {
    for (let k = lo; k < hi; k++) {
      const i = order[k];
      indices[k] = i;
      for (let side = 0; side < 4; side++) nodes[4 * k + side] = boxes[4 * i + side];
    }
  },
);

const makeParents = forkable(
  import.meta.url,
  'makeParents',
  (lo: number, hi: number, { nodes, indices, from, to }: Index & { from: number; to: number }): void => {
    for (let parent = lo; parent < hi; parent++) {
      const first = from + NODE_SIZE * parent;
      let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
      for (let child = first; child < Math.min(to, first + NODE_SIZE); child++) {
        minX = Math.min(minX, nodes[4 * child]);
        minY = Math.min(minY, nodes[4 * child + 1]);
        maxX = Math.max(maxX, nodes[4 * child + 2]);
        maxY = Math.max(maxY, nodes[4 * child + 3]);
      }
      const at = to + parent;
      indices[at] = 4 * first;
      nodes[4 * at] = minX;
      nodes[4 * at + 1] = minY;
      nodes[4 * at + 2] = maxX;
      nodes[4 * at + 3] = maxY;
    }
  },
);

export const ways: Ways<Boxes, Flatbush> = {
  async ''(input, pool) {
    const { n, boxes } = input;
    const { data, IndexArrayType } = new Flatbush(n, NODE_SIZE, Float64Array, SharedArrayBuffer);
    let total = n;
    for (let level = n; level > 1; total += level) level = Math.ceil(level / NODE_SIZE);
    const nodes = new Float64Array(data, HEADER_BYTES, 4 * total);
    const indices = new IndexArrayType(data as ArrayBuffer, HEADER_BYTES + nodes.byteLength, total);
    const { min, max } = await parallelMinMax(boxes, { pool });
    const context = { ...input, min: min!, scale: SIDE / (max! - min! || 1) };
    const keys = await parallelTabulate(Int32Array, n, key, { pool, context });
    const order = await parallelArgsort(keys, { pool });
    await parallelForRange(n, placeLeaves, { pool, context: { n, boxes, order, nodes, indices } });
    for (let from = 0, to = n; to - from > 1; ) {
      const parents = Math.ceil((to - from) / NODE_SIZE);
      await parallelForRange(parents, makeParents, { pool, context: { nodes, indices, from, to } });
      [from, to] = [to, to + parents];
    }
    return Flatbush.from(data);
  },
};
