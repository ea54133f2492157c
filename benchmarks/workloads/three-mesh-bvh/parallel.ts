/** Casts the rays on all threads, each of which makes itself a BVH over the same memory. */
import { forkable, parallelForRange } from 'furcate';
import { BufferAttribute, BufferGeometry } from 'three';
import { MeshBVH } from 'three-mesh-bvh';
import type { Ways } from '../workload.js';
import type { Landscape } from './config.js';
import { cast } from './sequential.js';

/** What makes up a BVH: arrays that all threads share. */
interface Shared {
  readonly roots: readonly SharedArrayBuffer[];
  readonly index: Uint32Array;
  readonly positions: Float32Array;
}

/** The BVH of this thread, for the latest roots. */
let own: { readonly root: SharedArrayBuffer; readonly bvh: MeshBVH } | undefined;

function bvhOf({ roots, index, positions }: Shared): MeshBVH {
  if (own?.root !== roots[0]) {
    const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(positions, 3));
    const bvh = MeshBVH.deserialize({ roots: [...roots], index, indirectBuffer: null, version: 1 } as never, geometry);
    own = { root: roots[0], bvh };
  }
  return own!.bvh;
}

const castPart = forkable(
  import.meta.url,
  'castPart',
  (lo: number, hi: number, context: Shared & { starts: Float64Array; heights: Float64Array }): void =>
    cast(bvhOf(context), lo, hi, context.starts, context.heights),
);

export const ways: Ways<Landscape, void> = {
  async ''({ bvh, rays, starts, heights }, pool) {
    const { roots, index } = MeshBVH.serialize(bvh, { cloneBuffers: false });
    const positions = bvh.geometry.getAttribute('position').array;
    await parallelForRange(rays, castPart, { pool, context: { roots, index, positions, starts, heights } as never });
  },
};
