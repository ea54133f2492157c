/** Function tasks of another module run in a pool, and several at the same time. */
import { ForkJoinPool, task } from 'furcate';
import { fib } from './fib.mjs';

const pool = new ForkJoinPool({ parallelism: 2 });
console.log(await pool.invoke(fib, 20)); // => 6765
console.log((await Promise.all([10, 11, 12].map((n) => pool.invoke(task(fib, n))))).join()); // => 55,89,144
await pool.close();
