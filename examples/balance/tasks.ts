/** A sum as a tree of tasks, whose leaves are as small as one likes; and the passes of the loops over grids. */
import { fork, forkable, join } from 'furcate';

export const sumTree = forkable(import.meta.url, 'sumTree', (lo: number, hi: number, leaf: number): number => {
  if (hi - lo <= leaf) return sumOf(lo, hi);
  const middle = (lo + hi) >>> 1;
  const right = fork(sumTree, middle, hi, leaf);
  return sumTree(lo, middle, leaf) + join(right);
});

/** The same without tasks. */
export function sumOf(lo: number, hi: number): number {
  let sum = 0;
  for (let i = lo; i < hi; i++) sum += Math.sqrt(i);
  return sum;
}

/** A wave on a pond. */
export interface Wave {
  readonly width: number;
  readonly level: Float64Array;
  /** The flow from a cell to its right neighbour. */
  readonly east: Float64Array;
  /** And to the one below. */
  readonly south: Float64Array;
}

/** Pass 1 of a step: writes flows, reads levels. */
export function flowIn(top: number, bottom: number, left: number, right: number, wave: Wave): void {
  const { width, level, east, south } = wave;
  for (let row = top; row < bottom; row++)
    for (let i = row * width + left; i < row * width + right; i++) {
      east[i] -= 0.4 * (level[i + 1] - level[i]);
      south[i] -= 0.4 * (level[i + width] - level[i]);
    }
}

/** Pass 2: writes levels, reads flows. */
export function riseIn(top: number, bottom: number, left: number, right: number, wave: Wave): void {
  const { width, level, east, south } = wave;
  for (let row = top; row < bottom; row++)
    for (let i = row * width + left; i < row * width + right; i++)
      level[i] -= 0.4 * (east[i] - east[i - 1] + south[i] - south[i - width]);
}

export interface Matrices {
  readonly input: Float64Array;
  readonly out: Float64Array;
  readonly side: number;
}

/** Rows become columns. */
export function transposeIn(top: number, bottom: number, left: number, right: number, matrices: Matrices): void {
  const { input, out, side } = matrices;
  for (let row = top; row < bottom; row++)
    for (let col = left; col < right; col++) out[col * side + row] = input[row * side + col];
}

export const flow = forkable(import.meta.url, 'flow', flowIn);
export const rise = forkable(import.meta.url, 'rise', riseIn);
export const transpose = forkable(import.meta.url, 'transpose', transposeIn);
