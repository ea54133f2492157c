/** Runs the micro-benchmarks, all of them or those named on the command line. */
import { runBenchmarks } from '../harness/run-benchmarks.js';
import { abort } from './abort.js';
import { branchAndBound } from './branch-and-bound.js';
import { codecs } from './codecs.js';
import { deques } from './deques.js';
import { falseSharing } from './false-sharing.js';
import { flat } from './flat.js';
import { forkJoin } from './fork-join.js';
import { graphs } from './graphs.js';
import { idle } from './idle.js';
import { invokeSync } from './invoke-sync.js';
import { pipelines } from './pipelines.js';
import { priorities } from './priorities.js';
import { queens } from './queens.js';
import { roundTrip } from './round-trip.js';
import { start } from './start.js';
import { steals } from './steals.js';
import { sweep } from './sweep.js';
import { traceEvents } from './trace-events.js';
import { values } from './values.js';
import { waiting } from './waiting.js';
import { workSpan } from './work-span.js';

await runBenchmarks(
  [
    forkJoin,
    queens,
    flat,
    steals,
    deques,
    sweep,
    roundTrip,
    invokeSync,
    start,
    abort,
    idle,
    waiting,
    priorities,
    values,
    pipelines,
    graphs,
    branchAndBound,
    codecs,
    traceEvents,
    falseSharing,
    workSpan,
  ],
  ['java', 'rayon'],
);
