/** Row by row: goes down the tree of boxes, the nearer child first, and leaves out what lies behind a sphere that was met. */
import type { Scene } from './config.js';

/** The rays of the rows lo to hi - 1. */
export function castRows(lo: number, hi: number, { side, spheres, boxes, hits }: Scene): void {
  const firstLeaf = spheres.length / 4 - 1;
  const stack = new Int32Array(64);
  for (let ray = lo * side; ray < hi * side; ray++) {
    const x = ((ray % side) + 0.5) / side;
    const y = (Math.floor(ray / side) + 0.5) / side;
    let first = -1;
    let depth = Number.POSITIVE_INFINITY;
    let top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const node = stack[--top];
      const box = 6 * node;
      if (x < boxes[box] || x > boxes[box + 3] || y < boxes[box + 1] || y > boxes[box + 4] || boxes[box + 2] >= depth)
        continue;
      if (node >= firstLeaf) {
        const s = 4 * (node - firstLeaf);
        const rest = spheres[s + 3] ** 2 - (x - spheres[s]) ** 2 - (y - spheres[s + 1]) ** 2;
        const z = spheres[s + 2] - Math.sqrt(rest); // NaN beside the sphere
        if (!(z < depth)) continue;
        depth = z;
        first = node - firstLeaf;
        continue;
      }
      const left = 2 * node + 1;
      const isLeftNearer = boxes[6 * left + 2] < boxes[6 * left + 8];
      stack[top++] = isLeftNearer ? left + 1 : left;
      stack[top++] = isLeftNearer ? left : left + 1;
    }
    hits[ray] = first;
  }
}

export const sequential = (scene: Scene): void => castRows(0, scene.side, scene);
