/** Strassen's recursion, in Winograd's form without its common sums, down to blocks that stay in the cache. */
import type { Matrices } from '../matrix-product/config.js';

/** A square part of a matrix whose rows are `stride` elements apart. */
export interface Square {
  readonly data: Float64Array;
  readonly at: number;
  readonly stride: number;
}

/** Side of a block that is multiplied by three loops. */
export const LEAF = 128;

export const quarter = ({ data, at, stride }: Square, half: number, row: number, col: number): Square => ({
  data,
  at: at + (row * stride + col) * half,
  stride,
});

/** out = a + sign * b. */
export function add(half: number, a: Square, sign: number, b: Square, out: Square): void {
  for (let row = 0; row < half; row++) {
    const [x, y, z] = [a.at + row * a.stride, b.at + row * b.stride, out.at + row * out.stride];
    for (let col = 0; col < half; col++) out.data[z + col] = a.data[x + col] + sign * b.data[y + col];
  }
}

/** out = a * b, by three loops. */
export function multiplyBlock(side: number, a: Square, b: Square, out: Square): void {
  for (let row = 0; row < side; row++) {
    const z = out.at + row * out.stride;
    out.data.fill(0, z, z + side);
    for (let k = 0; k < side; k++) {
      const x = a.data[a.at + row * a.stride + k];
      const y = b.at + k * b.stride;
      for (let col = 0; col < side; col++) out.data[z + col] += x * b.data[y + col];
    }
  }
}

/** The seven products: each of a sum of quarters of a and a sum of quarters of b. [row, col, sign, row, col], or [row, col]. */
type Term = readonly [row: number, col: number, sign?: number, row2?: number, col2?: number];
export const PRODUCTS: readonly (readonly [Term, Term])[] = [
  [
    [0, 0, 1, 1, 1],
    [0, 0, 1, 1, 1],
  ],
  [
    [1, 0, 1, 1, 1],
    [0, 0],
  ],
  [
    [0, 0],
    [0, 1, -1, 1, 1],
  ],
  [
    [1, 1],
    [1, 0, -1, 0, 0],
  ],
  [
    [0, 0, 1, 0, 1],
    [1, 1],
  ],
  [
    [1, 0, -1, 0, 0],
    [0, 0, 1, 0, 1],
  ],
  [
    [0, 1, -1, 1, 1],
    [1, 0, 1, 1, 1],
  ],
];

/** A sum of quarters, in `room` if it is not one of them. */
export function termOf(m: Square, half: number, [row, col, sign, row2, col2]: Term, room: Square): Square {
  if (sign === undefined) return quarter(m, half, row, col);
  add(half, quarter(m, half, row, col), sign, quarter(m, half, row2!, col2!), room);
  return room;
}

/** The quarters of the result, from the seven products. */
export function combine(half: number, p: readonly Square[], out: Square): void {
  const [c00, c01, c10, c11] = [
    quarter(out, half, 0, 0),
    quarter(out, half, 0, 1),
    quarter(out, half, 1, 0),
    quarter(out, half, 1, 1),
  ];
  for (let row = 0; row < half; row++) {
    for (let col = 0; col < half; col++) {
      const of = ({ data, at, stride }: Square): number => data[at + row * stride + col];
      const [p1, p2, p3, p4, p5, p6, p7] = [of(p[0]), of(p[1]), of(p[2]), of(p[3]), of(p[4]), of(p[5]), of(p[6])];
      c00.data[c00.at + row * c00.stride + col] = p1 + p4 - p5 + p7;
      c01.data[c01.at + row * c01.stride + col] = p3 + p5;
      c10.data[c10.at + row * c10.stride + col] = p2 + p4;
      c11.data[c11.at + row * c11.stride + col] = p1 - p2 + p3 + p6;
    }
  }
}

function multiply(side: number, a: Square, b: Square, out: Square): void {
  if (side <= LEAF) {
    multiplyBlock(side, a, b, out);
    return;
  }
  const half = side / 2;
  const fresh = (): Square => ({ data: new Float64Array(half * half), at: 0, stride: half });
  const [left, right] = [fresh(), fresh()];
  const products = PRODUCTS.map(([ofA, ofB]) => {
    const product = fresh();
    multiply(half, termOf(a, half, ofA, left), termOf(b, half, ofB, right), product);
    return product;
  });
  combine(half, products, out);
}

export function sequential({ n, a, b, c }: Matrices): void {
  const whole = (data: Float64Array): Square => ({ data, at: 0, stride: n });
  multiply(n, whole(a), whole(b), whole(c));
}
