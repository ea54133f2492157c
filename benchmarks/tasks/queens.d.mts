import type { Forkable, RecursiveTask } from 'furcate';

export declare class Queens extends RecursiveTask<number> {
  constructor(n: number, columns: number, down: number, up: number);
  compute(): number;
}
export declare const queens: Forkable<[n: number, columns: number, down: number, up: number], number>;
export declare function plainQueens(n: number, columns: number, down: number, up: number): number;
