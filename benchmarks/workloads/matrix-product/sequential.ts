/** Multiplies matrices block by block. */
import type { Matrices } from './config.js';

const BLOCK = 64;

/** Computes a tile of the product: a block of `b` is used for all rows of the tile while it is in the cache. */
export function multiplyTile(top: number, bottom: number, left: number, right: number, { n, a, b, c }: Matrices): void {
  for (let from = 0; from < n; from += BLOCK) {
    const to = Math.min(from + BLOCK, n);
    for (let row = top; row < bottom; row++) {
      for (let k = from; k < to; k++) {
        const x = a[row * n + k];
        for (let col = left; col < right; col++) c[row * n + col] += x * b[k * n + col];
      }
    }
  }
}

export function sequential(matrices: Matrices): void {
  const { n } = matrices;
  for (let top = 0; top < n; top += BLOCK) {
    for (let left = 0; left < n; left += BLOCK) {
      multiplyTile(top, Math.min(top + BLOCK, n), left, Math.min(left + BLOCK, n), matrices);
    }
  }
}
