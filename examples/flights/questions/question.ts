/** What a question is: one thing to know about the flights, answered by a plain loop and by Furcate. */
import type { ForkJoinPool } from 'furcate';
import type { Flights } from '../load.js';

export interface Question<Answer> {
  readonly title: string;
  /** The calls of the library that the parallel answer is made with. */
  readonly calls: string;
  /** What `equal` demands: 'bit for bit', or a tolerance and the reason for it. */
  readonly criterion: string;
  /** What a reader should know about the answer. */
  readonly note?: string;
  /** The answer as one would write it without the library. */
  sequential(): Answer;
  /** The answer by the library. It may reuse its arrays: an answer is valid until the next call. */
  parallel(onProgress?: Progress): Promise<Answer>;
  equal(sequential: Answer, parallel: Answer): boolean;
  /** The answer in words, a line a fact. */
  facts(answer: Answer): readonly Fact[];
}

export type Progress = (done: number, total: number) => void;

export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** What every question is made from. */
export interface Material {
  readonly flights: Flights;
  readonly pool: ForkJoinPool;
}

/** Whether two columns hold the same numbers, bit for bit (-0 is not 0; NaN is NaN). */
export function sameNumbers(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}
