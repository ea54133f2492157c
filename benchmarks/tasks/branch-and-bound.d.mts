import type { Forkable } from 'furcate';
import type { SharedBest } from 'furcate/flows';

/** Places, all arrays in shared memory. */
export interface Places {
  /** From place i to place j, at `i * n + j`. */
  readonly distances: Float64Array;
  /** The others of each place, the nearest first. */
  readonly nearest: Int32Array;
  /** From each place to its nearest. */
  readonly least: Float64Array;
}
/** Items, those with most value for their weight first. */
export interface Items {
  readonly weights: Float64Array;
  readonly values: Float64Array;
  readonly room: number;
}
export interface Found {
  readonly best: number;
  readonly solution: Int32Array;
  readonly nodes: number;
}
export declare function plainTour(places: Places): Found;
export declare function plainPack(items: Items): Found;
/** Search all. */
export declare const tourTask: Forkable<[best: SharedBest, places: Places], void>;
export declare const packTask: Forkable<[best: SharedBest, items: Items], void>;
export declare const takeVisited: Forkable<[], number>;
export declare const tourAlone: Forkable<[places: Places], number>;
