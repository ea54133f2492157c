/** The k nearest neighbours of each point of a plane, with a grid of about two points in each cell. */
import { randomNumbers } from '../random.js';
import type { Config } from '../workload.js';

const NEIGHBOURS = 8;

export interface Points {
  readonly n: number;
  readonly xs: Float64Array;
  readonly ys: Float64Array;
  /** How many are looked for. */
  readonly neighbours: number;
  /** Cells in a row of the grid. */
  readonly side: number;
  /** The result: the neighbours of point 0, nearest first, those of point 1, ... */
  readonly nearest: Uint32Array;
}

const SAMPLE = 100;

/** The neighbours of a point, by looking at all points. */
function byLookingAtAll({ xs, ys }: Points, point: number): number[] {
  const distances = xs.map((x, i) => (x - xs[point]) ** 2 + (ys[i] - ys[point]) ** 2);
  const order = new Uint32Array(xs.length).map((_, i) => i).sort((a, b) => distances[a] - distances[b]);
  return Array.from(order.subarray(1, NEIGHBOURS + 1)); // the point itself is the first
}

const sampled = (points: Points, of: (point: number) => Iterable<number>): string =>
  Array.from({ length: SAMPLE }, (_, i) => [...of(Math.floor((i * points.n) / SAMPLE))].join()).join(' ');

const found = new WeakMap<Points, string>();

export const config: Config<number, Points, void> = {
  what: 'a grid, then a search for each point; checked for a hundred points by looking at all others',
  sizes: { '200k points': 200_000 },
  small: 1000,
  open(n, make) {
    const random = randomNumbers(2);
    const [xs, ys] = [make(Float64Array, n), make(Float64Array, n)];
    for (let i = 0; i < n; i++) {
      xs[i] = random();
      ys[i] = random();
    }
    return {
      n,
      xs,
      ys,
      neighbours: NEIGHBOURS,
      side: Math.floor(Math.sqrt(n / 2)),
      nearest: make(Uint32Array, n * NEIGHBOURS),
    };
  },
  restore: ({ nearest }) => void nearest.fill(0),
  answer: (points) => sampled(points, (i) => points.nearest.subarray(i * NEIGHBOURS, (i + 1) * NEIGHBOURS)),
  expected(points) {
    if (!found.has(points))
      found.set(
        points,
        sampled(points, (point) => byLookingAtAll(points, point)),
      );
    return found.get(points);
  },
};
