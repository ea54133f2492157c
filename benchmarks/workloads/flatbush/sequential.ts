/** Builds the index as the documentation of flatbush says. */
import Flatbush from 'flatbush';
import type { Boxes } from './config.js';

export function sequential({ n, boxes }: Boxes): Flatbush {
  const index = new Flatbush(n);
  for (let at = 0; at < 4 * n; at += 4) index.add(boxes[at], boxes[at + 1], boxes[at + 2], boxes[at + 3]);
  index.finish();
  return index;
}
