/** The ways to place n queens on a board of n by n squares so that none attacks another (OEIS A000170). */
import type { Config } from '../workload.js';

export interface Board {
  readonly n: number;
  readonly solutions: number;
}

export const config: Config<Board, Board, number> = {
  what: 'a search tree of uneven branches; answers: OEIS A000170',
  sizes: { '12': { n: 12, solutions: 14200 }, '14': { n: 14, solutions: 365596 } },
  small: { n: 8, solutions: 92 },
  open: (board) => board,
  answer: (_, result) => result,
  expected: ({ solutions }) => solutions,
};
