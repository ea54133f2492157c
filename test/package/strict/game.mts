/** Solves a game for two players: who wins, if both play well. */
import { ForkJoinPool } from 'furcate';
import { sharedWindow } from 'furcate/flows';
import { type Board, search } from './game-tasks.mjs';

export const solve = (board: Board): Promise<number> =>
  ForkJoinPool.commonPool().invoke(search, sharedWindow({ alpha: -1, beta: 1 }), board, 3);
