import type { Forkable } from 'furcate';

type Count = Forkable<[counters: Int32Array, meeting: Int32Array, distance: number, times: number], number>;

export declare const countAtomically: Count;
export declare const countPlainly: Count;
export declare const countLocally: Count;
