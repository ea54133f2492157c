/** Shared arrays that are dropped do not fill the heap: together, these are larger than it. */
import { parallelFill, parallelTabulate, sharedArray } from 'furcate';

const ELEMENTS = 10 * 1024 * 1024; // 80 MiB of doubles
let wrong = 0;
for (let i = 0; i < 60; i++) {
  const xs = sharedArray(Float64Array, ELEMENTS);
  if (xs[0] !== 0 || xs[ELEMENTS - 1] !== 0) wrong++;
  await parallelFill(xs, i);
  const ys = await parallelTabulate(Float64Array, 1000, (i) => i);
  if (xs[ELEMENTS - 1] !== i || ys[999] !== 999) wrong++;
}
console.log(wrong); // => 0
