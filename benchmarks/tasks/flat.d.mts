import type { Forkable, RecursiveTask } from 'furcate';

export declare function busy(iterations: number, seed: number): number;
export declare class Busy extends RecursiveTask<number> {
  constructor(iterations: number, seed: number);
  compute(): number;
}
export declare class FlatList extends RecursiveTask<number> {
  constructor(lengths: Int32Array);
  compute(): number;
}
export declare const flatList: Forkable<[lengths: Int32Array], number>;
export declare function plainList(lengths: Int32Array): number;
