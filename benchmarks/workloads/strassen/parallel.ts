/** The seven products are tasks. A task makes the memory for its sums and its product, and frees the sums. */
import { type Fork, fork, forkable, free, join, sharedArray } from 'furcate';
import type { Matrices } from '../matrix-product/config.js';
import type { Ways } from '../workload.js';
import { combine, LEAF, multiplyBlock, PRODUCTS, type Square, termOf } from './sequential.js';

const fresh = (side: number): Square => ({
  data: sharedArray(Float64Array, side * side, { uninitialized: true }),
  at: 0,
  stride: side,
});

const multiplyTask = forkable(
  import.meta.url,
  'multiplyTask',
  (side: number, a: Square, b: Square, out: Square): void => {
    if (side <= LEAF) {
      multiplyBlock(side, a, b, out);
      return;
    }
    const half = side / 2;
    const products = PRODUCTS.map(() => fresh(half));
    const forked: Fork<void>[] = products.map((product, i) => fork(productTask, i, half, a, b, product));
    while (forked.length > 0) join(forked.pop()!);
    combine(half, products, out);
    for (const { data } of products) free(data);
  },
);

const productTask = forkable(
  import.meta.url,
  'productTask',
  (i: number, half: number, a: Square, b: Square, product: Square): void => {
    const [left, right] = [fresh(half), fresh(half)];
    const [ofA, ofB] = PRODUCTS[i];
    multiplyTask(half, termOf(a, half, ofA, left), termOf(b, half, ofB, right), product);
    free(left.data);
    free(right.data);
  },
);

export const ways: Ways<Matrices, void> = {
  ''({ n, a, b, c }, pool) {
    const whole = (data: Float64Array): Square => ({ data, at: 0, stride: n });
    return pool.invoke(multiplyTask, n, whole(a), whole(b), whole(c));
  },
};
