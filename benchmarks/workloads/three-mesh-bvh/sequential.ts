/** Casts a ray from above each point. */
import { DoubleSide, Ray, Vector3 } from 'three';
import type { MeshBVH } from 'three-mesh-bvh';
import { type Landscape, TOP } from './config.js';

/** Casts rays [lo, hi). */
export function cast(bvh: MeshBVH, lo: number, hi: number, starts: Float64Array, heights: Float64Array): void {
  const ray = new Ray(new Vector3(), new Vector3(0, 0, -1));
  for (let k = lo; k < hi; k++) {
    ray.origin.set(starts[2 * k], starts[2 * k + 1], TOP);
    const hit = bvh.raycastFirst(ray, DoubleSide);
    heights[k] = hit === null ? Number.NaN : hit.point.z;
  }
}

export const sequential = ({ bvh, rays, starts, heights }: Landscape): void => cast(bvh, 0, rays, starts, heights);
