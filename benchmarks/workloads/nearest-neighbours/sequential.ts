/** Sorts the points into the cells of a grid, then looks for the neighbours of each point in rings of cells around its own. */
import { type Make, ordinary } from '../workload.js';
import type { Points } from './config.js';

export interface Grid {
  /** Where the points of each cell begin in `points`; one more at the end. */
  readonly starts: Uint32Array;
  readonly points: Uint32Array;
}

/** The points lo to hi - 1. */
export function findNearest(lo: number, hi: number, context: Points & Grid): void {
  const { xs, ys, neighbours, side, nearest, starts, points } = context;
  const best = new Float64Array(neighbours);
  const ids = new Uint32Array(neighbours);
  for (let point = lo; point < hi; point++) {
    const x = xs[point];
    const y = ys[point];
    const col = Math.floor(x * side);
    const row = Math.floor(y * side);
    best.fill(Number.POSITIVE_INFINITY);
    // Points beyond ring r are farther away than r cells.
    for (let r = 0; r < side && best[neighbours - 1] > (Math.max(0, r - 1) / side) ** 2; r++) {
      for (let v = Math.max(0, row - r); v <= Math.min(side - 1, row + r); v++) {
        const step = v === row - r || v === row + r ? 1 : Math.max(1, 2 * r);
        for (let u = col - r; u <= col + r; u += step) {
          if (u < 0 || u >= side) continue;
          for (let at = starts[v * side + u]; at < starts[v * side + u + 1]; at++) {
            const other = points[at];
            const distance = (xs[other] - x) ** 2 + (ys[other] - y) ** 2;
            if (distance >= best[neighbours - 1] || other === point) continue;
            let place = neighbours - 1;
            for (; place > 0 && best[place - 1] > distance; place--) {
              best[place] = best[place - 1];
              ids[place] = ids[place - 1];
            }
            best[place] = distance;
            ids[place] = other;
          }
        }
      }
    }
    nearest.set(ids, point * neighbours);
  }
}

/** Counts the points of each cell, adds up, and puts each point into its place. */
export function gridOf({ n, xs, ys, side }: Points, make: Make): Grid {
  const starts = make(Uint32Array, side * side + 1);
  const cellOf = (point: number): number => Math.floor(ys[point] * side) * side + Math.floor(xs[point] * side);
  for (let i = 0; i < n; i++) starts[cellOf(i) + 1]++;
  for (let cell = 0; cell < side * side; cell++) starts[cell + 1] += starts[cell];
  const points = make(Uint32Array, n);
  const next = starts.slice();
  for (let i = 0; i < n; i++) points[next[cellOf(i)]++] = i;
  return { starts, points };
}

export const sequential = (points: Points): void =>
  findNearest(0, points.n, { ...points, ...gridOf(points, ordinary) });
