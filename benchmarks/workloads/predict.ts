/**
 * `npm run bench:predictions [names]`: the speed-up on two threads that `profile` predicts from runs on one thread, beside the one that is measured. Where they
 * differ, the time of the two threads says why: inflation is memory, the rest the scheduler. Runs on the main thread.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readCommandLine } from '../harness/command-line.js';
import { loadOfLastMinute, machine, unquiet } from '../harness/machine.js';
import { layOut } from '../harness/table.js';
import type { Prediction } from './predict-lane.js';
import { buildPrograms, programOf } from './programs.js';
import { loadWorkload, workloadNames } from './workload.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Programs with more of it wait for memory, or for other programs. */
const MOST_INFLATION = 0.1;
/** Programs whose number of tasks differs by more between runs on one thread and on two do not do the same work: no prediction holds for them. */
const MOST_OTHER_TASKS = 0.01;
/** The target. */
const MOST_ERROR = 0.1;

const percent = (part: number): string => `${(100 * part).toFixed(0)} %`;

const { names, short, json, rounds = short ? 3 : 7 } = readCommandLine(process.argv.slice(2), workloadNames());
const loadBefore = loadOfLastMinute();
const warning = unquiet(loadBefore);
if (warning !== undefined) console.log(warning);
await buildPrograms();
/** Errors of the predicted time of programs that are bound by computing: whose tasks cost no more with two threads than with one. */
const errors: number[] = [];
/** Programs that do other work on two threads. */
const changing: string[] = [];
const rows: string[][] = [];
const predictions: Prediction[] = [];
for (const workload of names.length === 0 ? workloadNames() : names) {
  console.error(`${workload} ...`);
  const { config, ways } = await loadWorkload(workload);
  const [size = ''] = Object.keys(config.sizes);
  for (const way of Object.keys(ways)) {
    const args = [programOf('predict-lane.js'), workload, size, way, String(rounds)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    const prediction = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Prediction;
    predictions.push(prediction);
    const { name, precision, parallelism, oneMs, twoMs, expected, bounds, otherTasks, time } = prediction;
    const error = oneMs / expected / twoMs - 1;
    const isFixed = otherTasks <= MOST_OTHER_TASKS;
    if (!isFixed) changing.push(name);
    else if (precision !== 'counts' && (time['inflation'] ?? 0) < MOST_INFLATION) errors.push(Math.abs(error));
    rows.push([
      name,
      precision,
      parallelism.toFixed(1),
      oneMs.toFixed(1),
      twoMs.toFixed(1),
      (oneMs / twoMs).toFixed(2),
      expected.toFixed(2),
      bounds.map((bound) => bound.toFixed(2)).join(' to '),
      percent(error),
      percent(otherTasks),
      ...Object.values(time).map(percent),
    ]);
  }
}
const head = [
  'workload',
  'precision',
  'parallelism',
  'T1 ms',
  'T2 ms',
  'speed-up',
  'predicted',
  'bounds',
  'error of T2',
  'other tasks',
];
const all = [...head, 'work', 'inflation', 'waiting', 'scheduling', 'idle', 'start'];
const good = errors.filter((error) => error <= MOST_ERROR).length;
console.log(layOut(all, new Set(all.slice(2)), rows));
console.log(
  `\nBound by computing (inflation below ${percent(MOST_INFLATION)}): ${good} of ${errors.length} within ${percent(MOST_ERROR)}.`,
);
if (json !== undefined) {
  const report = { date: new Date().toISOString(), short, loadBefore, machine: machine(), predictions };
  writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
}
if (changing.length > 0) console.log(`Other work on two threads than on one: ${changing.join('; ')}.`);
