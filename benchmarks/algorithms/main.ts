/** The benchmarks of the algorithms: all of them, or those named on the command line. */
import { runBenchmarks } from '../harness/run-benchmarks.js';
import { overhead } from './overhead.js';
import { sort } from './sort.js';

await runBenchmarks([overhead, sort], ['java', 'rayon']);
