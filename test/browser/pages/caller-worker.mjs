// A dedicated worker that has a pool: it may block.
import { ForkJoinPool, parallelReduceSync, sharedArray } from '/dist/index.js';
import { Fib, spawnsThieves, sum } from './tasks.mjs';

const pool = new ForkJoinPool({ parallelism: 2 });
await pool.ready(); // a blocked thread of Chromium starts no workers
const words = sharedArray(Int32Array, 1);
for (let left = 100; left > 0 && words[0] !== 3; left--) pool.invokeSync(spawnsThieves, words, 20);
postMessage({
  fib: pool.invokeSync(new Fib(15)),
  sum: pool.invokeSync(sum, 100),
  reduced: parallelReduceSync(
    Float64Array.from({ length: 300_000 }, () => 1),
    'sum',
    { pool },
  ),
  threads: words[0],
});
await pool.close();
