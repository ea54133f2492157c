import type { Forkable } from 'furcate';

export declare const addNodes: Forkable<[a: number, b: number], number>;
export declare const nextNode: Forkable<[x: number], number>;
export declare function computeTile(
  words: Int32Array,
  row: number,
  column: number,
  columns: number,
  iterations: number,
): void;
export declare const tile: Forkable<
  [words: Int32Array, row: number, column: number, columns: number, iterations: number],
  void
>;
