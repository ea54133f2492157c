/** The loops that are measured: each does the work of its items for real, and its results are compared with those of a plain loop. */
import { sharedArray } from 'furcate';

/** What an item works on, and writes to. */
export interface Data {
  readonly input: Float64Array;
  readonly out: Float64Array;
  readonly size: number;
}

export interface Workload {
  readonly name: string;
  readonly title: string;
  readonly items: number;
  /** Items in a block of the cyclic partition. */
  readonly block: number;
  readonly data: Data;
  /** Does item i: writes `out[i]`. It travels to the workers as text. */
  readonly work: (i: number, data: Data) => void;
}

/** Numbers between 0 and 1 that are the same in each run. */
const numbers = (n: number): Float64Array =>
  sharedArray(
    Float64Array,
    Float64Array.from({ length: n }, (_, i) => ((i * 2_654_435_761) % 4_294_967_296) / 4_294_967_296),
  );

/** A row of a matrix times a vector, often enough to take a while: each row costs the same. */
const uniform = (n: number): Workload => ({
  name: 'uniform',
  title: 'Uniform work: rows of a matrix times a vector',
  items: n,
  block: 1,
  data: { input: numbers(n * n), out: sharedArray(Float64Array, n), size: n },
  work(row, { input, out, size }) {
    let sum = 0;
    for (let repeat = 0; repeat < 12; repeat++) for (let k = 0; k < size; k++) sum += input[row * size + k] * input[k];
    out[row] = sum;
  },
});

/** Each point looks at the points before it: the last one has most to do. */
const triangle = (n: number): Workload => ({
  name: 'triangle',
  title: 'Triangle loop: point i meets points 0 to i - 1',
  items: n,
  block: 1,
  data: { input: numbers(n), out: sharedArray(Float64Array, n), size: n },
  work(i, { input, out }) {
    let sum = 0;
    for (let j = 0; j < i; j++) sum += 1 / (1e-3 + Math.abs(input[i] - input[j]));
    out[i] = sum;
  },
});

/** A row of the set of Mandelbrot, in a view whose lower rows are mostly in the set. */
const mandelbrot = (rows: number): Workload => ({
  name: 'mandelbrot',
  title: 'Mandelbrot: rows of an image',
  items: rows,
  block: 1,
  data: { input: sharedArray(Float64Array, 1), out: sharedArray(Float64Array, rows), size: rows },
  work(row, { out, size }) {
    const y0 = 1.2 - (1.3 * row) / size;
    let sum = 0;
    for (let col = 0; col < size; col++) {
      const x0 = -2 + (2.6 * col) / size;
      let [x, y, steps] = [0, 0, 0];
      while (steps < 500 && x * x + y * y < 4) {
        [x, y] = [x * x - y * y + x0, 2 * x * y + y0];
        steps++;
      }
      sum += steps;
    }
    out[row] = sum;
  },
});

/**
 * Cells of a mesh around a wing, row by row. Cells at the leading edge, in the first columns of the first rows, are refined: each of their
 * parts is relaxed.
 */
const wing = (rows: number): Workload => ({
  name: 'wing',
  title: 'A mesh refined at a wing’s edge, 64 cells a row',
  items: rows * 64,
  block: 32,
  data: { input: numbers(1024), out: sharedArray(Float64Array, rows * 64), size: rows },
  work(cell, { input, out, size }) {
    const [row, col] = [cell >> 6, cell & 63];
    const distance = Math.hypot(col - 6, Math.max(0, row - size / 3) * 2);
    const parts = distance < 4 ? 256 : distance < 9 ? 64 : distance < 16 ? 16 : 4;
    let value = 0;
    for (let part = 0; part < parts; part++)
      for (let k = 0; k < 64; k++) value = 0.5 * value + input[(part * 64 + k) & 1023];
    out[cell] = value;
  },
});

/** @param scale 1 for the pictures; less for a quick look */
export const workloads = (scale: number): readonly Workload[] => [
  uniform(Math.ceil(1200 * Math.sqrt(scale))),
  triangle(Math.ceil(4000 * Math.sqrt(scale))),
  mandelbrot(Math.ceil(280 * Math.sqrt(scale))),
  wing(Math.ceil(60 * scale)),
];
