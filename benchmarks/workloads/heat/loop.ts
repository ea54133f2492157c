/** The loop of a step that all threads share. */
import type { Plate } from './config.js';

/** Computes rows lo + 1 to hi. */
export const spreadInRound = (lo: number, hi: number, round: number, context: Plate & { share: number }): void => {
  const { side, share } = context;
  const [now, next] = round % 2 === 0 ? [context.now, context.next] : [context.next, context.now];
  for (let row = lo + 1; row < hi + 1; row++) {
    for (let i = row * side + 1; i < (row + 1) * side - 1; i++) {
      next[i] = now[i] + share * (now[i - 1] + now[i + 1] + now[i - side] + now[i + side] - 4 * now[i]);
    }
  }
};
