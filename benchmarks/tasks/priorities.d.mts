import type { Forkable } from 'furcate';

export declare const empty: Forkable<[], number>;
export declare const trees: Forkable<[words: Int32Array, n: number], boolean>;
export declare const unbalanced: Forkable<[words: Int32Array, iterations: number], boolean>;
export declare const flat: Forkable<[words: Int32Array, iterations: number], boolean>;
