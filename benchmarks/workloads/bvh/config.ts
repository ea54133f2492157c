/** Builds a bounding volume hierarchy of a landscape, as three-mesh-bvh does, by the centre of boxes or by their surface area (SAH). */
import { type BufferGeometry, DoubleSide, Ray, Vector3 } from 'three';
import { CENTER, type MeshBVH, SAH } from 'three-mesh-bvh';
import { randomNumbers } from '../random.js';
import { geometryOf, type Hills, heightAt, TOP } from '../three-mesh-bvh/config.js';
import type { Config } from '../workload.js';

export interface Mesh extends Hills {
  readonly strategy: typeof CENTER | typeof SAH;
  readonly geometry: BufferGeometry;
  /** The corners of each triangle, before they were put into the order of the hierarchy. */
  readonly unsorted: Uint32Array;
  /** Room for the boxes of the triangles, which is needed while the hierarchy is built. */
  readonly boxes: Float32Array;
}

const RAYS = 500;

export const config: Config<Pick<Mesh, 'cells' | 'strategy'>, Mesh, MeshBVH> = {
  what: 'a hierarchy of boxes over triangles; checked by rays against the planes of the triangles',
  sizes: {
    '500,000 triangles, by centre': { cells: 500, strategy: CENTER },
    '500,000 triangles, by SAH': { cells: 500, strategy: SAH },
  },
  small: { cells: 60, strategy: SAH },
  open({ cells, strategy }, make) {
    const random = randomNumbers(3);
    const corners = make(Float64Array, (cells + 1) ** 2);
    for (let i = 0; i < corners.length; i++) corners[i] = random() / cells;
    const geometry = geometryOf(cells, corners);
    const unsorted = geometry.getIndex()!.array.slice() as Uint32Array;
    return { cells, corners, strategy, geometry, unsorted, boxes: make(Float32Array, 2 * unsorted.length) };
  },
  restore: ({ geometry, unsorted }) => geometry.getIndex()!.array.set(unsorted),
  answer(mesh, bvh) {
    const random = randomNumbers(4);
    const ray = new Ray(new Vector3(), new Vector3(0, 0, -1));
    let error = 0;
    for (let k = 0; k < RAYS; k++) {
      const [x, y] = [0.001 + 0.998 * random(), 0.001 + 0.998 * random()];
      ray.origin.set(x, y, TOP);
      const height = bvh.raycastFirst(ray, DoubleSide)?.point.z ?? Number.POSITIVE_INFINITY;
      error = Math.max(error, Math.abs(height - heightAt(mesh, x, y)));
    }
    return error < 1e-5 ? 'right' : `an error of ${error}`; // positions have 24 bits
  },
  expected: () => 'right',
};
