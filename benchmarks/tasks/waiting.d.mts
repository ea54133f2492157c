import type { AsyncForkable, Forkable } from 'furcate';

export declare const pairs: AsyncForkable<[count: number, isAsync: boolean], [sum: number, pairUs: number]>;
export declare const reporters: Forkable<[count: number], number>;
export declare const sleepers: AsyncForkable<[count: number, ms: number], number>;
export declare const waitingMemory: AsyncForkable<[count: number], [count: number, bytes: number]>;
export declare const timers: AsyncForkable<
  [count: number, iterations: number],
  [lateMs: number[], stretchMs: number[]]
>;
export declare const blocks: Forkable<[ms: number, inSection: boolean], number>;
export declare const computes: Forkable<[iterations: number, seed: number], number>;
