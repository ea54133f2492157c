/** Builds the hierarchy as the documentation of three-mesh-bvh says. */
import { MeshBVH } from 'three-mesh-bvh';
import type { Mesh } from './config.js';

export const sequential = ({ geometry, strategy }: Mesh): MeshBVH => new MeshBVH(geometry, { strategy });
