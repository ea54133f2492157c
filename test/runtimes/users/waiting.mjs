/** Asynchronous tasks, defined with pool.invoke: they wait for timers while their worker runs other tasks. */
import { ForkJoinPool } from 'furcate';
import { waits } from './pauses.mjs';

const pool = new ForkJoinPool({ parallelism: 1 });
const startMs = performance.now();
console.log((await Promise.all([1, 2, 3, 4].map((n) => pool.invoke(waits, n, 300)))).join()); // => 55,55,55,55
console.log(performance.now() - startMs < 10_000); // => true
await pool.close();
