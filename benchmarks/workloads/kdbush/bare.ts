/** The recursion by hand: one worker divides all points, then each sorts a half. */
import KDBush from 'kdbush';
import type { Bare, Caller } from '../team.js';
import type { Points } from './config.js';
import { type Arranged, NODE_SIZE, select, sort } from './select.js';

/** What is sent of an index: its memory, in which it has the points after a header. */
interface Memory extends Arranged {
  readonly data: SharedArrayBuffer;
}

export const caller: Caller<Points, Points, Memory, void, KDBush> = {
  open(_, { n }) {
    const { ids, coords, data } = new KDBush(n, NODE_SIZE, Float64Array, SharedArrayBuffer);
    return { ids, coords, data: data as unknown as SharedArrayBuffer };
  },
  close: ({ message }) => KDBush.from(message.data as never),
};

export const bare: Bare<Points, Memory> = ({ n, xs, ys }, team, { ids, coords }) => {
  const [lo, hi] = team.share(n);
  for (let i = lo; i < hi; i++) {
    ids[i] = i;
    coords[2 * i] = xs[i];
    coords[2 * i + 1] = ys[i];
  }
  const middle = (n - 1) >> 1;
  team.barrier(() => select({ ids, coords }, middle, 0, n - 1, 0));
  if (team.me === 0) sort(0, middle - 1, 1, { ids, coords });
  else sort(middle + 1, n - 1, 1, { ids, coords });
};
