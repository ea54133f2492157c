import type { Forkable } from 'furcate';

type Steals = Forkable<[begun: Int32Array, n: number], [sum: number, ms: number]>;
export declare const stealsOfClass: Steals;
export declare const stealsOfFunction: Steals;
