import type { Forkable, RecursiveTask } from 'furcate';

export declare class TreeSum extends RecursiveTask<number> {
  constructor(node: number);
  compute(): number;
}
export declare const treeSum: Forkable<[node: number], number>;
export declare function plainTreeSum(node: number): number;
