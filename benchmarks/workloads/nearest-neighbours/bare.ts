/** Sorts the points by cells, each worker a half of them, and then looks for neighbours: parts by a counter. */
import { sharedByHand } from '../bare.js';
import { type Bare, type Caller, THREADS } from '../team.js';
import type { Points } from './config.js';
import { findNearest, type Grid } from './sequential.js';

/** Points whose neighbours a worker looks for at once. */
const PART = 1024;

interface Shared extends Points, Grid {
  /** For each worker, how many of its points each cell has, and then where the next of them goes. */
  readonly counts: readonly Uint32Array[];
}

export const caller: Caller<Points, Shared> = {
  share: (input) => ({
    ...input,
    starts: sharedByHand(Uint32Array, input.side ** 2 + 1),
    points: sharedByHand(Uint32Array, input.n),
    counts: Array.from({ length: THREADS }, () => sharedByHand(Uint32Array, input.side ** 2)),
  }),
};

export const bare: Bare<Shared> = (shared, team) => {
  const { n, xs, ys, side, starts, points, counts } = shared;
  const [first, end] = team.share(n);
  const own = counts[team.me].fill(0);
  const cellOf = (point: number): number => Math.floor(ys[point] * side) * side + Math.floor(xs[point] * side);
  for (let point = first; point < end; point++) own[cellOf(point)]++;
  team.barrier(() => {
    let sum = 0;
    for (let cell = 0; cell < side * side; cell++) {
      starts[cell] = sum;
      for (const each of counts) {
        const count = each[cell];
        each[cell] = sum;
        sum += count;
      }
    }
    starts[side * side] = sum;
  });
  for (let point = first; point < end; point++) points[own[cellOf(point)]++] = point;
  team.barrier();
  for (const [lo, hi] of team.parts(n, PART)) findNearest(lo, hi, shared);
};
