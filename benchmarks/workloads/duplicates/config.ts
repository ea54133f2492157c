/** Removes duplicates, and keeps the order. */
import { randomNumbers } from '../random.js';
import type { Config } from '../workload.js';

export interface Entries {
  readonly xs: Uint32Array;
  readonly distinct: number;
}

const checksum = (xs: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < xs.length; i++) sum = (Math.imul(sum, 31) + xs[i]) | 0;
  return sum;
};

export const config: Config<number, Entries, ArrayLike<number>> = {
  what: 'a million distinct numbers, each about five times; checked by a table of flags',
  sizes: { '5M numbers': 5_000_000 },
  small: 3000,
  open(n, make) {
    const random = randomNumbers(11);
    const distinct = Math.ceil(n / 5);
    const xs = make(Uint32Array, n);
    for (let i = 0; i < n; i++) xs[i] = 4000 * Math.floor(distinct * random());
    return { xs, distinct };
  },
  answer: (_, kept) => checksum(kept),
  expected({ xs, distinct }) {
    const seen = new Uint8Array(distinct);
    return checksum(
      xs.filter((x) => {
        const was = seen[x / 4000];
        seen[x / 4000] = 1;
        return was === 0;
      }),
    );
  },
};
