// Times, in a fresh process, a new pool until the first result of a task. The task's module consists of two files.
import { ForkJoinPool } from 'furcate';
import { Next } from './next.mjs';

const startMs = performance.now();
const pool = new ForkJoinPool({ parallelism: 2 });
const answer = await pool.invoke(new Next(1));
const ms = performance.now() - startMs;
console.log(JSON.stringify({ ms, answer }));
