/** An error of a task arrives with its class, its message and its cause. */
import { ForkJoinPool, parallelMap } from 'furcate';
import { fails } from './fib.mjs';

const pool = new ForkJoinPool({ parallelism: 2 });
try {
  await pool.invoke(fails, 50);
} catch (error) {
  console.log(error instanceof RangeError); // => true
  console.log(`${error.message}, ${error.cause.n}`); // => the bottom, 0
}
const y = 1;
try {
  await parallelMap(new Float64Array(10), (x) => x + y, { pool });
} catch (error) {
  console.log(/captured variable `y`/.test(error.message)); // => true
}
await pool.close();
