/** Task classes of another module run in a pool. */
import { ForkJoinPool } from 'furcate';
import { Fib } from './fib.mjs';

const pool = new ForkJoinPool({ parallelism: 2 });
console.log(await pool.invoke(new Fib(20))); // => 6765
console.log(await pool.with({ timeoutMs: 60_000 }).invoke(new Fib(15))); // => 610
await pool.close();
