/** The same steps by hand: half of the rows for each worker, and a barrier behind each step. */
import type { Bare } from '../team.js';
import type { Signal } from './config.js';
import { TILE, transformRows, transpose } from './sequential.js';

export const bare: Bare<Signal> = ({ side, signal, work: [columns, rows], spectrum, roots }, team) => {
  const bands = team.share(Math.ceil(side / TILE));
  const own = team.share(side);
  transpose(...bands, side, signal, columns);
  team.barrier();
  transformRows(...own, { side, rows: columns, roots, twisted: true });
  team.barrier();
  transpose(...bands, side, columns, rows);
  team.barrier();
  transformRows(...own, { side, rows, roots, twisted: false });
  team.barrier();
  transpose(...bands, side, rows, spectrum);
};
