/** Runs the benchmarks of the algorithms, all of them or those named on the command line. */
import { runBenchmarks } from '../harness/run-benchmarks.js';
import { breakEven } from './break-even.js';
import { containers } from './containers.js';
import { functions } from './functions.js';
import { natives } from './natives.js';
import { overhead } from './overhead.js';
import { small } from './small.js';
import { sort } from './sort.js';

await runBenchmarks(
  [overhead, small, functions, sort, containers, breakEven, natives],
  ['java', 'rayon', 'tbb', 'ips4o', 'vqsort'],
);
