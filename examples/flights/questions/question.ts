/** The interface of a question about the flights, which a plain loop and Furcate answer. */
import type { ForkJoinPool } from 'furcate';
import type { Flights } from '../load.js';

export interface Question<Answer> {
  readonly title: string;
  /** The functions of the library that compute the parallel answer. */
  readonly calls: string;
  /** What `equal` requires: 'bit for bit', or a tolerance and the reason for it. */
  readonly criterion: string;
  /** What a reader should know about the answer. */
  readonly note?: string;
  /** Computes the answer without the library. */
  sequential(): Answer;
  /** Computes the answer with the library. It may reuse its arrays, so an answer is valid until the next call. */
  parallel(onProgress?: Progress): Promise<Answer>;
  equal(sequential: Answer, parallel: Answer): boolean;
  /** The answer in words, one line for each fact. */
  facts(answer: Answer): readonly Fact[];
}

export type Progress = (done: number, total: number) => void;

export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** The data and the pool of every question. */
export interface Material {
  readonly flights: Flights;
  readonly pool: ForkJoinPool;
}

/** Whether two columns have equal numbers, bit for bit (-0 differs from 0; NaN equals NaN). */
export function sameNumbers(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}
