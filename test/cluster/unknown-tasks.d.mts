import type { Forkable } from 'furcate';
import type { HostFunction } from 'furcate/cluster';

export declare const unknownFunction: Forkable<[x: number], number>;
export declare const unknownHostFunction: HostFunction<number, number>;
