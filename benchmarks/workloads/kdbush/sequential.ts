/** Builds the index as the documentation of kdbush says. */
import KDBush from 'kdbush';
import type { Points } from './config.js';

export function sequential({ n, xs, ys }: Points): KDBush {
  const index = new KDBush(n);
  for (let i = 0; i < n; i++) index.add(xs[i], ys[i]);
  return index.finish();
}
