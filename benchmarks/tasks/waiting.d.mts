import type { AsyncForkable } from 'furcate';

export declare const pairs: AsyncForkable<[count: number, isAsync: boolean], [sum: number, pairUs: number]>;
export declare const sleepers: AsyncForkable<[count: number, ms: number], number>;
