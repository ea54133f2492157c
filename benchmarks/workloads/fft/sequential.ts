/** The signal is a matrix. Its columns are transformed and twisted, then its rows; columns are made rows before, which is faster. */
import type { Complex, Signal } from './config.js';

/** Copies a tile of a square matrix to the other side of the diagonal. */
function transposeTile(
  top: number,
  bottom: number,
  left: number,
  right: number,
  { side, from, to }: { readonly side: number; readonly from: Complex; readonly to: Complex },
): void {
  for (let row = top; row < bottom; row++) {
    for (let col = left; col < right; col++) {
      to.re[col * side + row] = from.re[row * side + col];
      to.im[col * side + row] = from.im[row * side + col];
    }
  }
}

/** What `transformRows` works on. */
export interface Rows {
  readonly side: number;
  readonly rows: Complex;
  readonly roots: Complex;
  /** Whether each element is multiplied by the root whose number is row times column. */
  readonly twisted: boolean;
}

/** Transforms rows in place, each as Cooley and Tukey do. */
export function transformRows(lo: number, hi: number, { side, rows, roots, twisted }: Rows): void {
  const { re, im } = rows;
  for (let row = lo; row < hi; row++) {
    const start = row * side;
    reverseBits(start, side, re, im);
    for (let half = 1; half < side; half *= 2) {
      const step = (side * side) / (2 * half);
      for (let k = 0; k < half; k++) {
        const rootRe = roots.re[k * step];
        const rootIm = roots.im[k * step];
        for (let i = start + k; i < start + side; i += 2 * half) {
          const j = i + half;
          const x = re[j] * rootRe - im[j] * rootIm;
          const y = re[j] * rootIm + im[j] * rootRe;
          re[j] = re[i] - x;
          im[j] = im[i] - y;
          re[i] += x;
          im[i] += y;
        }
      }
    }
    if (!twisted) continue;
    for (let col = 0; col < side; col++) {
      const root = row * col;
      const x = re[start + col];
      const y = im[start + col];
      re[start + col] = x * roots.re[root] - y * roots.im[root];
      im[start + col] = x * roots.im[root] + y * roots.re[root];
    }
  }
}

/** Moves each element of a row to the index whose bits are those of its own in reverse. */
function reverseBits(start: number, side: number, re: Float64Array, im: Float64Array): void {
  for (let i = 1, j = 0; i < side; i++) {
    let bit = side >> 1;
    for (; (j & bit) !== 0; bit >>= 1) j ^= bit;
    j |= bit;
    if (i >= j) continue;
    [re[start + i], re[start + j]] = [re[start + j], re[start + i]];
    [im[start + i], im[start + j]] = [im[start + j], im[start + i]];
  }
}

/** Rows and columns of a tile. */
export const TILE = 32;

/** Copies bands of `TILE` rows to the other side of the diagonal. */
export function transpose(lo: number, hi: number, side: number, from: Complex, to: Complex): void {
  for (let top = lo * TILE; top < Math.min(side, hi * TILE); top += TILE) {
    for (let left = 0; left < side; left += TILE) {
      transposeTile(top, Math.min(top + TILE, side), left, Math.min(left + TILE, side), { side, from, to });
    }
  }
}

export function sequential({ side, signal, work, spectrum, roots }: Signal): void {
  const [columns, rows] = work;
  const bands = Math.ceil(side / TILE);
  transpose(0, bands, side, signal, columns);
  transformRows(0, side, { side, rows: columns, roots, twisted: true });
  transpose(0, bands, side, columns, rows);
  transformRows(0, side, { side, rows, roots, twisted: false });
  transpose(0, bands, side, rows, spectrum);
}
