/** The boxes of the triangles by a loop, and both halves of each division at the same time, in the memory that becomes the hierarchy. */
import { parallelForRange } from 'furcate';
import { MeshBVH } from 'three-mesh-bvh';
import type { Ways } from '../workload.js';
import { NODE_WORDS } from './build.js';
import type { Mesh } from './config.js';
import { boxesTask, buildTask } from './tasks.js';

export const ways: Ways<Mesh, MeshBVH> = {
  async ''({ geometry, strategy, boxes }, pool) {
    const index = geometry.getIndex()!.array as Uint32Array<SharedArrayBuffer>;
    const positions = geometry.getAttribute('position').array as Float32Array<SharedArrayBuffer>;
    const n = index.length / 3;
    const nodes = new SharedArrayBuffer(4 * NODE_WORDS * (2 * n - 1));
    await parallelForRange(n, boxesTask, { pool, context: { index, boxes, positions } });
    const tree = { strategy, index, boxes, floats: new Float32Array(nodes), words: new Uint32Array(nodes) };
    await pool.invoke(buildTask.with(tree), 0, n, 0, 0);
    return MeshBVH.deserialize({ roots: [nodes], index, indirectBuffer: null, version: 1 } as never, geometry);
  },
};
