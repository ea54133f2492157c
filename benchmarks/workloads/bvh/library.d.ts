/** What three-mesh-bvh builds with, which it exports without types. */
declare module 'three-mesh-bvh/src/core/build/computeBoundsUtils.js' {
  /** Writes the box of triangles, and that of their middles. */
  export function getBounds(
    boxes: Float32Array,
    offset: number,
    count: number,
    bounds: Float32Array,
    middles: Float32Array,
  ): void;
}
declare module 'three-mesh-bvh/src/core/build/splitUtils.js' {
  export interface Split {
    readonly axis: number;
    readonly pos: number;
  }
  export function getOptimalSplit(
    bounds: Float32Array,
    middles: Float32Array,
    boxes: Float32Array,
    offset: number,
    count: number,
    strategy: number,
  ): Split;
}
declare module 'three-mesh-bvh/src/core/build/sortUtils.js' {
  import type { Split } from 'three-mesh-bvh/src/core/build/splitUtils.js';
  /** Puts triangles before the plane to the left, with their boxes; returns the first one on the right. */
  export function partition(
    index: Uint32Array,
    stride: number,
    boxes: Float32Array,
    offset: number,
    count: number,
    split: Split,
  ): number;
}
