/** Builds an index of points, of the library kdbush. */
import type KDBush from 'kdbush';
import { randomNumbers } from '../random.js';
import type { Config } from '../workload.js';

export interface Points {
  readonly n: number;
  readonly xs: Float64Array;
  readonly ys: Float64Array;
}

const QUERIES = 20;
const WIDTH = 0.02;

/** What is found in some squares, which does not depend on how the index is arranged: a sum of the numbers of the points. */
function found(range: (minX: number, minY: number, maxX: number, maxY: number) => number[]): number {
  const random = randomNumbers(2);
  let sum = 0;
  for (let k = 0; k < QUERIES; k++) {
    const [x, y] = [random(), random()];
    for (const i of range(x, y, x + WIDTH, y + WIDTH)) sum = (sum + Math.imul(i + 1, k + 1)) | 0;
  }
  return sum;
}

const right = new WeakMap<Points, number>();

export const config: Config<number, Points, KDBush> = {
  what: 'a k-d tree of kdbush; checked by searches that look at every point',
  sizes: { '2,000,000 points': 2e6 },
  small: 1000,
  open(n, make) {
    const random = randomNumbers(1);
    const [xs, ys] = [make(Float64Array, n), make(Float64Array, n)];
    for (let i = 0; i < n; i++) [xs[i], ys[i]] = [random(), random()];
    return { n, xs, ys };
  },
  answer: (_, index) => found((...square) => index.range(...square)),
  expected(input) {
    const { n, xs, ys } = input;
    if (!right.has(input)) {
      const range = (minX: number, minY: number, maxX: number, maxY: number): number[] => {
        const hits: number[] = [];
        for (let i = 0; i < n; i++) if (xs[i] >= minX && xs[i] <= maxX && ys[i] >= minY && ys[i] <= maxY) hits.push(i);
        return hits;
      };
      right.set(input, found(range));
    }
    return right.get(input);
  },
};
