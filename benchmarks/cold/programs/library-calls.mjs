// Calls an algorithm forty times, in a fresh process. The first call makes the pool, as in a user's program.
import {
  ForkJoinPool,
  parallelFilter,
  parallelHistogram,
  parallelMap,
  parallelReduce,
  parallelScan,
  parallelSort,
  sharedArray,
} from 'furcate';
import { timeCalls, WORKLOADS } from './workloads.mjs';

let made;
function pool() {
  made ??= new ForkJoinPool({ parallelism: 2 });
  return made;
}

const CALLS = {
  sum: ({ xs }) => parallelReduce(xs, 'sum', { pool: pool() }),
  scan: ({ xs, out }) => parallelScan(xs, 'sum', { into: out, pool: pool() }),
  map: ({ xs, out }) => parallelMap(xs, (x) => x * 2 + 1, { into: out, pool: pool() }),
  filter: ({ xs }) => parallelFilter(xs, (x) => x < 0.5, { pool: pool() }),
  histogram: ({ xs }) => parallelHistogram(xs, (x) => x >>> 24, { bins: 256, pool: pool() }),
  fib: ({ Fib }) => pool().invoke(new Fib(32)),
  sort: ({ xs }) => parallelSort(xs, { pool: pool() }),
};

const name = process.argv[2];
const workload = WORKLOADS[name];
const data = name === 'fib' ? await import('./fib.mjs') : workload.open(sharedArray);
await timeCalls(workload, data, CALLS[name]);
