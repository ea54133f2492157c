/** console.log in a task comes out, in the order of the tasks. */
import { ForkJoinPool } from 'furcate';
import { says } from './fib.mjs';

const pool = new ForkJoinPool({ parallelism: 1 });
await pool.invoke(says, 'from a worker'); // => from a worker
await pool.invoke(says, 'and again'); // => and again
await pool.close();
