/** The product of two matrices by seven products of halves (Strassen 1969). */
import { type Matrices, config as product } from '../matrix-product/config.js';
import type { Config } from '../workload.js';

export const config: Config<number, Matrices, void> = {
  ...product,
  what: 'recursive; integers, so that all sums are exact; checked by C x = A (B x)',
  sizes: { '1024': 1024 },
  small: 256,
};
