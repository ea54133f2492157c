/**
 * Writes the bytes of an index on all threads: `Flatbush.from` takes them. Sorts the boxes by their places on a Hilbert curve, and then makes the nodes of each level
 * from those of the level below.
 */
import Flatbush from 'flatbush';
import { forkable, parallelArgsort, parallelForRange, parallelMinMax, parallelTabulate } from 'furcate';
import type { Ways } from '../workload.js';
import type { Boxes } from './config.js';
import { indexIn, keyOf, leavesAt, NODE_SIZE, parentsAt, SIDE } from './loops.js';

const key = forkable(import.meta.url, 'key', keyOf);
const placeLeaves = forkable(import.meta.url, 'placeLeaves', leavesAt);
const makeParents = forkable(import.meta.url, 'makeParents', parentsAt);

export const ways: Ways<Boxes, Flatbush> = {
  async ''(input, pool) {
    const { n, boxes } = input;
    const { data } = new Flatbush(n, NODE_SIZE, Float64Array, SharedArrayBuffer);
    const index = indexIn(n, data);
    const { min, max } = await parallelMinMax(boxes, { pool });
    const context = { ...input, min: min!, scale: SIDE / (max! - min! || 1) };
    const keys = await parallelTabulate(Int32Array, n, key, { pool, context });
    const order = await parallelArgsort(keys, { pool });
    await parallelForRange(n, placeLeaves, { pool, context: { n, boxes, order, ...index } });
    for (let from = 0, to = n; to - from > 1; ) {
      const parents = Math.ceil((to - from) / NODE_SIZE);
      await parallelForRange(parents, makeParents, { pool, context: { ...index, from, to } });
      [from, to] = [to, to + parents];
    }
    return Flatbush.from(data);
  },
};
