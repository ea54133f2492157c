/** Measures the height of a landscape under many points, by rays from above: `raycastFirst` of three-mesh-bvh. */
import { BufferAttribute, BufferGeometry } from 'three';
import { MeshBVH } from 'three-mesh-bvh';
import { randomNumbers } from '../random.js';
import type { Config } from '../workload.js';

export interface Hills {
  /** Heights of a grid of `cells + 1` by `cells + 1` corners. */
  readonly corners: Float64Array;
  readonly cells: number;
}

export interface Landscape extends Hills {
  readonly bvh: MeshBVH;
  readonly rays: number;
  /** Where the rays begin: x and y of each, from 0 to 1. */
  readonly starts: Float64Array;
  /** The height under each. */
  readonly heights: Float64Array;
}

/** Above all hills. */
export const TOP = 2;

/** Two triangles for each cell, which meet in the diagonal where x + y is the same. */
export function geometryOf(cells: number, corners: Float64Array): BufferGeometry {
  const side = cells + 1;
  const positions = new Float32Array(new SharedArrayBuffer(12 * side * side));
  for (let i = 0; i < side * side; i++)
    positions.set([(i % side) / cells, Math.floor(i / side) / cells, corners[i]], 3 * i);
  const index = new Uint32Array(new SharedArrayBuffer(24 * cells * cells));
  for (let cell = 0; cell < cells * cells; cell++) {
    const corner = Math.floor(cell / cells) * side + (cell % cells);
    index.set([corner, corner + 1, corner + side, corner + side, corner + 1, corner + side + 1], 6 * cell);
  }
  return new BufferGeometry()
    .setAttribute('position', new BufferAttribute(positions, 3))
    .setIndex(new BufferAttribute(index, 1));
}

/** The height of the plane through the corners of a triangle. */
export function heightAt({ cells, corners }: Hills, x: number, y: number): number {
  const [column, row] = [Math.min(cells - 1, Math.floor(x * cells)), Math.min(cells - 1, Math.floor(y * cells))];
  const [dx, dy] = [x * cells - column, y * cells - row];
  const at = (right: number, up: number): number => corners[(row + up) * (cells + 1) + column + right];
  return dx + dy < 1
    ? at(0, 0) + dx * (at(1, 0) - at(0, 0)) + dy * (at(0, 1) - at(0, 0))
    : at(1, 1) + (1 - dx) * (at(0, 1) - at(1, 1)) + (1 - dy) * (at(1, 0) - at(1, 1));
}

export const config: Config<{ cells: number; rays: number }, Landscape, void> = {
  what: 'rays against a mesh; checked by the planes of the triangles',
  sizes: { '500,000 triangles, 500,000 rays': { cells: 500, rays: 500_000 } },
  small: { cells: 10, rays: 200 },
  open({ cells, rays }, make) {
    const random = randomNumbers(3);
    const corners = make(Float64Array, (cells + 1) ** 2).map(() => random() / cells);
    const starts = make(Float64Array, 2 * rays)
      .fill(0)
      .map(() => 0.001 + 0.998 * random());
    const bvh = new MeshBVH(geometryOf(cells, corners), { useSharedArrayBuffer: true });
    const [own, heights] = [make(Float64Array, 2 * rays), make(Float64Array, rays)];
    own.set(starts);
    return { bvh, corners, cells, rays, starts: own, heights };
  },
  restore: ({ heights }) => void heights.fill(0),
  answer(landscape) {
    const { rays, starts, heights } = landscape;
    let error = 0;
    for (let k = 0; k < rays; k++)
      error = Math.max(error, Math.abs(heights[k] - heightAt(landscape, starts[2 * k], starts[2 * k + 1])));
    return error < 1e-5 ? 'right' : `an error of ${error}`; // positions have 24 bits
  },
  expected: () => 'right',
};
