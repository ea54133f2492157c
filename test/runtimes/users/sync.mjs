/** invokeSync() and Sync forms block, and the caller computes too. */
import { ForkJoinPool, parallelReduceSync, sharedArray } from 'furcate';
import { fib } from './fib.mjs';

const pool = new ForkJoinPool({ parallelism: 2 });
console.log(pool.invokeSync(fib, 20)); // => 6765
const xs = sharedArray(Float64Array, 1_000_000).fill(2);
console.log(parallelReduceSync(xs, 'sum', { pool })); // => 2000000
await pool.close();
