/** Sorts the points by cell, counts those of each cell, and looks for neighbours on all threads. */
import {
  forkable,
  parallelArgsort,
  parallelForRange,
  parallelHistogram,
  parallelScan,
  parallelTabulate,
  sharedArray,
} from 'furcate';
import type { Ways } from '../workload.js';
import type { Points } from './config.js';
import { findNearest } from './sequential.js';

const search = forkable(import.meta.url, 'search', findNearest);

export const ways: Ways<Points, void> = {
  async ''(input, pool) {
    const { n, side } = input;
    const cellOf = (i: number, { xs, ys, side }: Points) => Math.floor(ys[i] * side) * side + Math.floor(xs[i] * side);
    const cells = await parallelTabulate(Uint32Array, n, cellOf, { pool, context: input });
    const points = await parallelArgsort(cells, { pool });
    const counts = await parallelHistogram(cells, { bins: side * side, min: 0, max: side * side, pool });
    const starts = sharedArray(Uint32Array, side * side + 1);
    await parallelScan(counts, 'sum', { into: starts.subarray(1), pool });
    await parallelForRange(n, search, { pool, context: { ...input, starts, points } });
  },
};
