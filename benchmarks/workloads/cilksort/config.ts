/** Sorts numbers by user tasks, as the example of Cilk does (Frigo, Leiserson and Randall 1998). */
import { randomNumbers } from '../random.js';
import type { Config } from '../workload.js';

export interface Numbers {
  readonly xs: Float64Array;
  /** As long as `xs`: room for parts that are being merged. */
  readonly room: Float64Array;
  readonly original: Float64Array;
}

export const config: Config<number, Numbers, void> = {
  what: 'a merge sort whose merges fork, too; checked by the order, and by sums that do not depend on it',
  sizes: { '4M numbers': 4_000_000 },
  small: 5000,
  open(n, make) {
    const random = randomNumbers(8);
    const original = Float64Array.from({ length: n }, () => Math.floor(2 ** 31 * random()));
    const xs = make(Float64Array, n);
    xs.set(original);
    return { xs, room: make(Float64Array, n), original };
  },
  restore: ({ xs, original }) => xs.set(original),
  answer({ xs }) {
    if (xs.some((x, i) => x < xs[i - 1])) return 'not sorted';
    return xs.reduce((sum, x) => sum + x + (x % 1009) * 2 ** 20, 0);
  },
  expected: ({ original }) => original.reduce((sum, x) => sum + x + (x % 1009) * 2 ** 20, 0),
};
