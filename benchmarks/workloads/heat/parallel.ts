/** The rows of each step on all threads: a round of one call for each step, and a call of its own for each. */
import { parallelForRange, parallelRounds } from 'furcate';
import type { Ways } from '../workload.js';
import { type Plate, SHARE } from './config.js';
import { spreadInRound } from './loop.js';

const rows = (round: number, { side, steps }: Plate): number | undefined => (round < steps ? side - 2 : undefined);

const spread = (lo: number, hi: number, { side, now, next, share }: Plate & { share: number }): void => {
  for (let row = lo; row < hi; row++) {
    for (let i = row * side + 1; i < (row + 1) * side - 1; i++) {
      next[i] = now[i] + share * (now[i - 1] + now[i + 1] + now[i - side] + now[i + side] - 4 * now[i]);
    }
  }
};

export const ways: Ways<Plate, Float64Array> = {
  async rounds(plate, pool) {
    await parallelRounds(rows, spreadInRound, { pool, context: { ...plate, share: SHARE } });
    return plate.steps % 2 === 0 ? plate.now : plate.next;
  },
  async 'a call for each step'(plate, pool) {
    let { now, next } = plate;
    for (let step = 0; step < plate.steps; step++) {
      await parallelForRange([1, plate.side - 1], spread, { pool, context: { ...plate, now, next, share: SHARE } });
      [now, next] = [next, now];
    }
    return now;
  },
};
