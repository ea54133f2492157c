/** The product of two square matrices of small integers, so that all sums are exact. */
import { randomNumbers } from '../random.js';
import type { Config } from '../workload.js';

export interface Matrices {
  readonly n: number;
  readonly a: Float64Array;
  readonly b: Float64Array;
  /** The product. */
  readonly c: Float64Array;
}

/** Row by row: the sums of the elements, each times the number of its column. */
const weighted = (n: number, matrix: Float64Array, weight: (col: number) => number): number[] =>
  Array.from({ length: n }, (_, row) => {
    let sum = 0;
    for (let col = 0; col < n; col++) sum += matrix[row * n + col] * weight(col);
    return sum;
  });

const checksum = (sums: readonly number[]): number => sums.reduce((sum, x, row) => sum + x * (row % 5), 0);

export const config: Config<number, Matrices, void> = {
  what: 'in blocks that stay in the cache; checked as Freivalds does, by C x = A (B x)',
  sizes: { '1024': 1024 },
  small: 70,
  open(n, make) {
    const random = randomNumbers(1);
    const matrix = () => make(Float64Array, n * n).map(() => Math.floor(random() * 16) - 8);
    const [a, b, c] = [make(Float64Array, n * n), make(Float64Array, n * n), make(Float64Array, n * n)];
    a.set(matrix());
    b.set(matrix());
    return { n, a, b, c };
  },
  restore: ({ c }) => void c.fill(0),
  answer: ({ n, c }) => checksum(weighted(n, c, (col) => col % 7)),
  expected({ n, a, b }) {
    const x = weighted(n, b, (col) => col % 7);
    return checksum(weighted(n, a, (col) => x[col]));
  },
};
