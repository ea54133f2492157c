/** Runs the benchmarks of fresh processes, all of them or those named on the command line. */
import { runBenchmarks } from '../harness/run-benchmarks.js';
import { calls } from './calls.js';
import { load } from './load.js';

await runBenchmarks([load, ...calls], []);
