/** Runs the job: reads the flights, answers the questions, reports, and draws charts. */
import { mkdir, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ForkJoinPool } from 'furcate';
import { profile } from 'furcate/insight';
import { FLIGHTS_FILE, type Flights, loadFlights } from './load.js';
import { type Measurement, measure } from './measure.js';
import type { JobOptions } from './options.js';
import { type ProgressDisplay, progressDisplay } from './progress.js';
import type { DelayHistogram } from './questions/delay-histogram.js';
import { allQuestions } from './questions/index.js';
import { describeFlights, type Paint, plainPaint, questionBlock, summaryTable, terminalPaint } from './report.js';
import { counted } from './words.js';
import { type WorkerShare, workerShares } from './worker-shares.js';

const PROFILED_RUNS = 5;
const DEFAULT_OUT = fileURLToPath(new URL('./out', import.meta.url));

interface Findings {
  readonly histogram: DelayHistogram;
  readonly shares: readonly WorkerShare[];
}

/** Runs the job; returns the exit code. */
export async function runJob(options: JobOptions): Promise<number> {
  const progress = progressDisplay(process.stderr);
  const paint = process.stdout.isTTY ? terminalPaint : plainPaint;
  const flights = await readFlights(options, progress);

  const { parallelism, out = DEFAULT_OUT } = options;
  const trace = options.trace ? resolve(out, 'timeline.json.gz') : undefined;
  if (parallelism === undefined && trace === undefined)
    return askAll(flights, ForkJoinPool.commonPool(), options, progress, paint);
  await mkdir(out, { recursive: true });
  const pool = new ForkJoinPool({ parallelism, name: 'flights', trace });
  try {
    return await askAll(flights, pool, options, progress, paint);
  } finally {
    await pool.close();
    if (trace !== undefined) say(`Timeline: ${relative('.', trace)}`);
  }
}

/** 0 if all parallel answers equal the sequential ones, otherwise 1. */
export function exitCodeOf(measurements: readonly Measurement[]): number {
  return measurements.every((measured) => measured.equal) ? 0 : 1;
}

async function readFlights({ rows }: JobOptions, progress: ProgressDisplay): Promise<Flights> {
  const start = performance.now();
  progress.begin(`Reading ${FLIGHTS_FILE}`);
  const flights = await loadFlights({ rows, onProgress: (done, total) => progress.update?.(done / total) });
  progress.end();
  say(describeFlights(flights, performance.now() - start));
  return flights;
}

async function askAll(
  flights: Flights,
  pool: ForkJoinPool,
  { effort, out = DEFAULT_OUT, profile: isProfiled }: JobOptions,
  progress: ProgressDisplay,
  paint: Paint,
): Promise<number> {
  await pool.ready(); // so that the first question does not include the start of the workers
  say(
    `${counted(pool.parallelism, 'worker')}. Plain loop and Furcate are timed in turn; the speed-up is the ratio of the medians.\n`,
  );

  const questions = allQuestions({ flights, pool });
  const list = Object.values(questions);
  const measurements: Measurement[] = [];
  for (const [i, question] of list.entries()) {
    progress.begin(`Question ${i + 1} of ${list.length}: ${question.title}`);
    const measured = await measure<unknown>(question, effort, progress.update);
    progress.end();
    measurements.push(measured);
    say(`${questionBlock(i + 1, measured, paint)}\n`);
    if (isProfiled) say(`${await profile(() => question.parallel(), { runs: PROFILED_RUNS })}\n`);
  }
  say(`${summaryTable(measurements, paint)}\n`);

  const shares = workerShares(pool.stats());
  const histogram = questions.delayHistogram.sequential();
  for (const path of await writePictures(out, { histogram, shares })) say(`Chart: ${relative('.', path)}`);

  const exitCode = exitCodeOf(measurements);
  if (exitCode !== 0) console.error('At least one parallel answer differs from the sequential answer: see above.');
  return exitCode;
}

async function writePictures(out: string, { histogram, shares }: Findings): Promise<string[]> {
  // Imported here, because the chart libraries load slowly and nothing else needs them.
  const [{ delayHistogramChart, workerShareChart }, { svgOf }] = await Promise.all([
    import('./charts.js'),
    import('./svg.js'),
  ]);
  const charts = {
    'delay-histogram.svg': delayHistogramChart(histogram),
    'worker-shares.svg': workerShareChart(shares),
  };
  await mkdir(out, { recursive: true });
  return Promise.all(
    Object.entries(charts).map(async ([name, chart]) => {
      const path = resolve(out, name);
      await writeFile(path, await svgOf(chart));
      return path;
    }),
  );
}

function say(text: string): void {
  console.log(text);
}
