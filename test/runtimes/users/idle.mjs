/** A program whose pools are idle ends by itself. */
import { ForkJoinPool, parallelReduce, sharedArray } from 'furcate';
import { fib } from './fib.mjs';

const pool = new ForkJoinPool({ parallelism: 2 });
console.log(await pool.invoke(fib, 10)); // => 55
const xs = sharedArray(Float64Array, 1_000_000).fill(1);
console.log(await parallelReduce(xs, (a, b) => a + b, 0)); // => 1000000
