import { fork, forkable, join } from 'furcate';
import type { SharedWindow } from 'furcate/flows';

/** A board of four columns and four rows: a bit for each stone of the player whose turn it is, and of the other one. */
export interface Board {
  readonly mine: number;
  readonly theirs: number;
}

const SIDE = 4;
const LINES: readonly number[] = [0, 1, 2, 3]
  .flatMap((k) => [0b1111 << (SIDE * k), 0x1111 << k])
  .concat(0x8421, 0x1248);
const FULL = 0xffff;

/** The boards after each move, as the other player sees them: a stone falls to the lowest free place of its column. */
function movesOf({ mine, theirs }: Board): Board[] {
  const boards: Board[] = [];
  for (let column = 0; column < SIDE; column++) {
    let place = column;
    while (place < SIDE * SIDE && ((mine | theirs) >> place) & 1) place += SIDE;
    if (place < SIDE * SIDE) boards.push({ mine: theirs, theirs: mine | (1 << place) });
  }
  return boards;
}

/** -1 if the other player has four in a line, 0 if the board is full, undefined if the game goes on. */
function outcomeOf({ mine, theirs }: Board): number | undefined {
  if (LINES.some((line) => (theirs & line) === line)) return -1;
  return (mine | theirs) === FULL ? 0 : undefined;
}

function plain(board: Board, alpha: number, beta: number): number {
  const outcome = outcomeOf(board);
  if (outcome !== undefined) return outcome;
  let best = alpha;
  for (const next of movesOf(board)) {
    best = Math.max(best, -plain(next, -beta, -best));
    if (best >= beta) break;
  }
  return best;
}

export const answer = forkable(
  import.meta.url,
  'answer',
  (window: SharedWindow, board: Board, splits: number): void => {
    if (!window.isClosed) window.offer(-search(window.reply(), board, splits));
  },
);

/** What a board is worth to the player whose turn it is: 1, 0 or -1. */
export const search = forkable(
  import.meta.url,
  'search',
  (window: SharedWindow, board: Board, splits: number): number => {
    if (splits === 0 || outcomeOf(board) !== undefined) return plain(board, window.alpha, window.beta);
    const [first, ...others] = movesOf(board);
    if (first !== undefined) answer(window, first, splits - 1);
    for (const forked of others.map((next) => fork(answer, window, next, splits - 1)).reverse()) join(forked);
    return window.alpha;
  },
);
