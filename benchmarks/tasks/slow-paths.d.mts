import type { Forkable, RecursiveTask } from 'furcate';

export declare class SlowPaths extends RecursiveTask<number> {
  constructor(depth: number, label: string);
  compute(): number;
}
export declare const slowPaths: Forkable<[depth: number, label: string, ...rest: number[]], number>;
export declare function slowPathsAnswer(depth: number): number;
