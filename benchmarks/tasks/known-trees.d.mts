import type { Forkable } from 'furcate';

type Tree = Forkable<[size: number, iterations: number], number>;
export declare const balanced: Tree;
export declare const skewed: Tree;
export declare const flat: Tree;
export declare const chain: Tree;
export declare const flatOwnUs: Forkable<[size: number], number>;
export declare const leafUs: Forkable<[iterations: number, times: number], number>;
