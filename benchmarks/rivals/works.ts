/**
 * The works that Furcate, its rivals and the native programs do, each on the same data; runs in lanes. What a work gives is one number, which all of them
 * must agree on.
 */
import {
  type ForkJoinPool,
  parallelFilter,
  parallelFor,
  parallelHistogram,
  parallelReduce,
  parallelScan,
  parallelSort,
  type TypedArrayConstructor,
} from 'furcate';
import { fillRandom, fillRandomWords } from '../algorithms/random-keys.js';
import { fib, plainFib } from '../tasks/fib.mjs';
import { mandelbrotRow } from '../tasks/mandelbrot.mjs';
import { plainQueens, queens } from '../tasks/queens.mjs';
import type { Part } from './pools.js';

/** Makes an array of zeros: a shared one of the library, one on a SharedArrayBuffer, or an ordinary one. */
export type Make = <T extends TypedArrayConstructor>(Type: T, n: number) => InstanceType<T>;

/** One work on its data. */
export interface Opened {
  /** Restores the data before each call. */
  prepare?(): void;
  plain(): number;
  furcate(pool: ForkJoinPool): Promise<number>;
  /** What the number does not tell: looked at when the clock has stopped. */
  isRight?(): boolean;
  /** If parts of it can be handed out without a fork/join library: a part, and what the parts' results give. */
  readonly parts?: { readonly part: Omit<Part, 'counter'>; combine(results: readonly unknown[]): number };
}

/** A share of the elements that the native programs work on; a hundredth in tests. */
const scaled = (n: number, share: number): number => Math.max(1, Math.round(n * share));

const ELEMENTS = 1e7;
const SUMMED = 5e7;
const [WIDTH, HEIGHT] = [1500, 1000];

const total = (xs: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < xs.length; i++) sum += xs[i];
  return sum;
};

function isSorted(xs: ArrayLike<number>): boolean {
  for (let i = 1; i < xs.length; i++) if (xs[i - 1] > xs[i]) return false;
  return true;
}

function sorted<T extends Float64Array | Uint32Array>(keys: T, xs: T, scale: number): Opened {
  // As the native programs give it.
  const middle = (sorted: ArrayLike<number>): number => Math.round(sorted[sorted.length >> 1] * scale);
  return {
    prepare: () => xs.set(keys),
    plain: () => middle(xs.sort()),
    furcate: async (pool) => middle(await parallelSort(xs, { pool })),
    isRight: () => isSorted(xs),
  };
}

export const WORKS: Readonly<Record<string, (make: Make, share: number) => Opened>> = {
  'fork-join': (_, share) => {
    const n = share === 1 ? 32 : 16;
    return { plain: () => plainFib(n), furcate: (pool) => pool.invoke(fib, n) };
  },
  queens: (_, share) => {
    const n = share === 1 ? 11 : 6;
    return { plain: () => plainQueens(n, 0, 0, 0), furcate: (pool) => pool.invoke(queens, n, 0, 0, 0) };
  },
  mandelbrot(make, share) {
    const height = scaled(HEIGHT, share);
    const image = make(Int32Array, WIDTH * height);
    return {
      prepare: () => void image.fill(0),
      plain() {
        for (let y = 0; y < height; y++) mandelbrotRow(image, WIDTH, height, y);
        return total(image);
      },
      async furcate(pool) {
        const context = { image, width: WIDTH, height, mandelbrotRow };
        const draw = (y: number, { image, width, height, mandelbrotRow }: typeof context) =>
          mandelbrotRow(image, width, height, y);
        await parallelFor(height, draw, { pool, context });
        return total(image);
      },
      parts: { part: { work: 'mandelbrot', xs: image, width: WIDTH, height }, combine: () => total(image) },
    };
  },
  sum(make, share) {
    const xs = make(Float64Array, scaled(SUMMED, share));
    for (let i = 0; i < xs.length; i++) xs[i] = (i % 1000) * 0.5;
    return {
      plain: () => total(xs),
      furcate: (pool) => parallelReduce(xs, 'sum', { pool }),
      parts: { part: { work: 'sum', xs }, combine: (sums) => total(sums as number[]) },
    };
  },
  scan(make, share) {
    const xs = make(Float64Array, scaled(ELEMENTS, share));
    fillRandom(xs);
    const out = make(Float64Array, xs.length);
    return {
      plain() {
        let sum = 0;
        for (let i = 0; i < xs.length; i++) out[i] = sum += xs[i];
        return Math.round(out[out.length - 1]);
      },
      furcate: async (pool) => Math.round((await parallelScan(xs, 'sum', { into: out, pool }))[xs.length - 1]),
    };
  },
  filter(make, share) {
    const xs = make(Float64Array, scaled(ELEMENTS, share));
    fillRandom(xs);
    return {
      plain: () => xs.filter((x) => x < 0.5).length,
      furcate: async (pool) => (await parallelFilter(xs, (x) => x < 0.5, { pool })).length,
    };
  },
  histogram(make, share) {
    const xs = make(Uint32Array, scaled(ELEMENTS, share));
    fillRandomWords(xs);
    return {
      plain() {
        const bins = new Uint32Array(256);
        for (let i = 0; i < xs.length; i++) bins[xs[i] >>> 24]++;
        return bins[0];
      },
      furcate: async (pool) => (await parallelHistogram(xs, { bins: 256, min: 0, max: 2 ** 32, pool }))[0],
      parts: {
        part: { work: 'histogram', xs },
        combine: (tables) => total((tables as Uint32Array[]).map((bins) => bins[0])),
      },
    };
  },
  'sort-f64'(make, share) {
    const keys = new Float64Array(scaled(ELEMENTS, share));
    fillRandom(keys);
    return sorted(keys, make(Float64Array, keys.length), 1e9);
  },
  'sort-u32'(make, share) {
    const keys = new Uint32Array(scaled(ELEMENTS, share));
    fillRandomWords(keys);
    return sorted(keys, make(Uint32Array, keys.length), 1);
  },
};

/** Answers that are known: of the native programs' sizes. */
export const ANSWERS: Readonly<Record<string, number>> = {
  'fork-join': 2178309,
  queens: 2680,
  mandelbrot: 83858605,
  sum: 12487500000,
};
