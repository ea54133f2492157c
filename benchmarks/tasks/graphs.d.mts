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
type OfTwo = Forkable<[a: unknown, b: unknown], unknown>;
export declare const ofTwoNumbers: OfTwo;
export declare const ofTwoTexts: OfTwo;
export declare const ofTwoObjects: OfTwo;
export declare const ofTwoLists: OfTwo;
export declare const ofTwoArrays: OfTwo;
export declare const ofTwoShared: OfTwo;
