/** The loops of the index that all threads share. */
import type { Boxes } from './config.js';
import { hilbert } from './hilbert.js';

export const NODE_SIZE = 16;
export const HEADER_BYTES = 8;
export const SIDE = 2 ** 16 - 1;

export interface Placing extends Boxes {
  readonly min: number;
  readonly scale: number;
}

/** The place of a box on the curve. */
export function keyOf(i: number, { boxes, min, scale }: Placing): number {
  const at = 4 * i;
  return hilbert(
    (scale * ((boxes[at] + boxes[at + 2]) / 2 - min)) | 0,
    (scale * ((boxes[at + 1] + boxes[at + 3]) / 2 - min)) | 0,
  );
}

export interface Index {
  /** The boxes of all nodes, level by level. */
  readonly nodes: Float64Array;
  /** The box of each leaf, and the first child of each other node. */
  readonly indices: Uint16Array | Uint32Array;
}

/** The parts of the bytes of an index. */
export function indexIn(n: number, data: unknown): Index {
  let total = n;
  for (let level = n; level > 1; total += level) level = Math.ceil(level / NODE_SIZE);
  const nodes = new Float64Array(data as ArrayBuffer, HEADER_BYTES, 4 * total);
  const Indices = total < 16384 ? Uint16Array : Uint32Array; // as flatbush decides
  return { nodes, indices: new Indices(data as ArrayBuffer, HEADER_BYTES + nodes.byteLength, total) };
}

export function leavesAt(
  lo: number,
  hi: number,
  { boxes, order, nodes, indices }: Boxes & Index & { order: Uint32Array },
): void {
  for (let k = lo; k < hi; k++) {
    const i = order[k];
    indices[k] = i;
    for (let side = 0; side < 4; side++) nodes[4 * k + side] = boxes[4 * i + side];
  }
}

export function parentsAt(
  lo: number,
  hi: number,
  { nodes, indices, from, to }: Index & { from: number; to: number },
): void {
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
}
