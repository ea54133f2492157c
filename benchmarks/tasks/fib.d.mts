import type { Forkable, RecursiveTask } from 'furcate';

export declare class Fib extends RecursiveTask<number> {
  n: number;
  constructor(n: number);
  compute(): number;
}
export declare const fib: Forkable<[n: number], number>;
export declare function plainFib(n: number): number;
