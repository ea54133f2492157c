/** The first sphere that each ray of an image meets, found in a tree of boxes. */
import { randomNumbers } from '../random.js';
import type { Config } from '../workload.js';

export interface Scene {
  /** Points in a row and in a column of the image. Rays go along z. */
  readonly side: number;
  /** x, y, z and radius of each sphere, in the order of the leaves of the tree. */
  readonly spheres: Float64Array;
  /**
   * A complete binary tree: the children of node i are 2 i + 1 and 2 i + 2, and the spheres are its leaves. Six numbers for each box: least x, y, z
   * and greatest.
   */
  readonly boxes: Float64Array;
  /** The number of the first sphere of each ray; -1 for none. */
  readonly hits: Int32Array;
}

/** Orders the spheres [lo, hi) so that each half, quarter, ... is close together: by x, y and z in turn. */
function order(spheres: number[][], axis: number): number[][] {
  if (spheres.length === 1) return spheres;
  const sorted = spheres.toSorted((a, b) => a[axis] - b[axis]);
  const half = sorted.length / 2;
  const next = (axis + 1) % 3;
  return [...order(sorted.slice(0, half), next), ...order(sorted.slice(half), next)];
}

const SAMPLES = 200;

/** The first sphere of a ray, by looking at all. */
function byLookingAtAll({ side, spheres }: Scene, ray: number): number {
  const [x, y] = [((ray % side) + 0.5) / side, (Math.floor(ray / side) + 0.5) / side];
  let [first, depth] = [-1, Number.POSITIVE_INFINITY];
  for (let s = 0; s < spheres.length / 4; s++) {
    const [cx, cy, cz, radius] = spheres.subarray(4 * s, 4 * s + 4);
    const rest = radius ** 2 - (x - cx) ** 2 - (y - cy) ** 2;
    if (rest < 0 || cz - Math.sqrt(rest) >= depth) continue;
    [first, depth] = [s, cz - Math.sqrt(rest)];
  }
  return first;
}

const sampled = ({ side }: Scene, hit: (ray: number) => number): string =>
  Array.from({ length: SAMPLES }, (_, i) => hit(Math.floor((i * side * side) / SAMPLES))).join();

export const config: Config<{ side: number; levels: number }, Scene, void> = {
  what: 'a tree of boxes; checked for two hundred rays by looking at all spheres',
  sizes: { '1000 x 1000 rays, 16k spheres': { side: 1000, levels: 14 } },
  small: { side: 30, levels: 6 },
  open({ side, levels }, make) {
    const random = randomNumbers(12);
    const count = 2 ** levels;
    const ordered = order(
      Array.from({ length: count }, () => [random(), random(), random(), 0.5 * random() ** 4 * count ** -0.4]),
      0,
    );
    const spheres = make(Float64Array, 4 * count);
    spheres.set(ordered.flat());
    const boxes = make(Float64Array, 6 * (2 * count - 1));
    for (let node = 2 * count - 2; node >= 0; node--) {
      for (let axis = 0; axis < 3; axis++) {
        const [least, greatest] = [6 * node + axis, 6 * node + axis + 3];
        const sphere = ordered[node - (count - 1)];
        const [left, right] = [6 * (2 * node + 1) + axis, 6 * (2 * node + 2) + axis];
        boxes[least] = sphere ? sphere[axis] - sphere[3] : Math.min(boxes[left], boxes[right]);
        boxes[greatest] = sphere ? sphere[axis] + sphere[3] : Math.max(boxes[left + 3], boxes[right + 3]);
      }
    }
    return { side, spheres, boxes, hits: make(Int32Array, side * side) };
  },
  restore: ({ hits }) => void hits.fill(-2),
  answer: (scene) => sampled(scene, (ray) => scene.hits[ray]),
  expected: (scene) => sampled(scene, (ray) => byLookingAtAll(scene, ray)),
};
