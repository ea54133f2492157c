/** A signal and a time-out end what runs, and the pool goes on. */
import { ForkJoinPool } from 'furcate';
import { fib, spins } from './fib.mjs';

const pool = new ForkJoinPool({ parallelism: 2 });
const controller = new AbortController();
const running = pool.with({ signal: controller.signal }).invoke(spins, 500);
setTimeout(() => controller.abort(), 100);
console.log(await running.catch((error) => error.name)); // => AbortError
const late = pool.with({ timeoutMs: 100 }).invoke(spins, 500);
console.log(await late.catch((error) => error.name)); // => CancellationError
console.log(await pool.invoke(fib, 10)); // => 55
await pool.close();
