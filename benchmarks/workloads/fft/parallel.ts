/** The same steps as the sequential version, as rounds: each is shared by all threads. */
import { forkable, parallelRounds } from 'furcate';
import type { Ways } from '../workload.js';
import type { Signal } from './config.js';
import { TILE, transformRows, transpose } from './sequential.js';

/** By turns rounds of bands of `TILE` rows, which are transposed, and rounds of rows, which are transformed. */
const next = forkable(import.meta.url, 'next', (round: number, { side }: Signal): number | undefined =>
  round === 5 ? undefined : round % 2 === 0 ? Math.ceil(side / TILE) : side,
);

const step = forkable(
  import.meta.url,
  'step',
  (lo: number, hi: number, round: number, { side, signal, work, spectrum, roots }: Signal) => {
    const [columns, rows] = work;
    if (round === 1) return transformRows(lo, hi, { side, rows: columns, roots, twisted: true });
    if (round === 3) return transformRows(lo, hi, { side, rows, roots, twisted: false });
    const [from, to] = round === 0 ? [signal, columns] : round === 2 ? [columns, rows] : [rows, spectrum];
    transpose(lo, hi, side, from, to);
  },
);

export const ways: Ways<Signal, void> = {
  '': (signal, pool) => parallelRounds(next, step, { pool, context: signal }),
};
