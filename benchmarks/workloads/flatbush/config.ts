/** Builds an index of boxes, of the library flatbush. */
import type Flatbush from 'flatbush';
import { randomNumbers } from '../random.js';
import type { Config } from '../workload.js';

export interface Boxes {
  readonly n: number;
  /** minX, minY, maxX, maxY of each. */
  readonly boxes: Float64Array;
}

const QUERIES = 20;
const WIDTH = 0.02;

/** What is found in some squares, which does not depend on how the index is arranged: a sum of the numbers of the boxes. */
function found(search: (minX: number, minY: number, maxX: number, maxY: number) => number[]): number {
  const random = randomNumbers(2);
  let sum = 0;
  for (let k = 0; k < QUERIES; k++) {
    const [x, y] = [random(), random()];
    for (const i of search(x, y, x + WIDTH, y + WIDTH)) sum = (sum + Math.imul(i + 1, k + 1)) | 0;
  }
  return sum;
}

const right = new WeakMap<Boxes, number>();

export const config: Config<number, Boxes, Flatbush> = {
  what: 'an R-tree of flatbush; checked by searches that look at every box',
  sizes: { '1,000,000 boxes': 1e6 },
  small: 1000,
  open(n, make) {
    const random = randomNumbers(1);
    const boxes = make(Float64Array, 4 * n);
    for (let i = 0; i < n; i++) {
      const [x, y] = [random(), random()];
      boxes.set([x, y, x + 0.001 * random(), y + 0.001 * random()], 4 * i);
    }
    return { n, boxes };
  },
  answer: (_, index) => found((...square) => index.search(...square)),
  expected(input) {
    const { n, boxes } = input;
    if (!right.has(input)) {
      const search = (minX: number, minY: number, maxX: number, maxY: number): number[] => {
        const hits: number[] = [];
        for (let i = 0; i < n; i++) {
          const at = 4 * i;
          if (boxes[at] <= maxX && boxes[at + 1] <= maxY && boxes[at + 2] >= minX && boxes[at + 3] >= minY)
            hits.push(i);
        }
        return hits;
      };
      right.set(input, found(search));
    }
    return right.get(input);
  },
};
