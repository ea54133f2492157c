import type { RecursiveTask } from 'furcate';

type FibClass = new (n: number) => RecursiveTask<number>;
export declare const UNIFORM: readonly FibClass[];
export declare const MIXED: readonly FibClass[];
