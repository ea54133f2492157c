import type { Forkable, RecursiveTask } from 'furcate';

export declare class Next extends RecursiveTask<number> {
  constructor(n: number);
  compute(): number;
}
export declare const next: Forkable<[n: number], number>;
