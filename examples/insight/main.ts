/** The program of `npm run example:insight`: the pictures of docs/insight.md, from real runs. `-- --short` takes a quick look, `-- --out <folder>` writes elsewhere. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ForkJoinPool } from 'furcate';
import { profile, trace } from 'furcate/insight';
import { runFlows } from './flows.js';
import { takePictures } from './screenshots.js';
import { longest } from './tasks.js';
import { timelinePicture } from './timeline-picture.js';

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, out: { type: 'string', default: 'docs/insight' } },
});
mkdirSync(values.out, { recursive: true });

/** Numbers of the program, and of its leaves: one program has too few of them, and the other one enough. */
const NUMBERS = values.short ? 20_000 : 200_000;
const PROGRAMS = { coarse: NUMBERS / 2, fine: NUMBERS / 64 };

/** Runs of which the shortest counts. */
const RUNS = values.short ? 2 : 15;

async function leastMs(pool: ForkJoinPool, leaf: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const startMs = performance.now();
    await pool.invoke(longest, 1, NUMBERS, leaf);
    least = Math.min(least, performance.now() - startMs);
  }
  return least;
}

const alone = new ForkJoinPool({ parallelism: 1 });
const pool = new ForkJoinPool({ parallelism: 2, name: 'pool' });
await Promise.all([alone.ready(), pool.ready()]);
for (const [name, leaf] of Object.entries(PROGRAMS)) {
  const [oneMs, twoMs] = [await leastMs(alone, leaf), await leastMs(pool, leaf)];
  const report = await profile(() => pool.invoke(longest, 1, NUMBERS, leaf), { cost: 'charged' });
  console.log(`${name}:\n${report}\nmeasured with two threads: ${(oneMs / twoMs).toFixed(2)}\n`);
  writeFileSync(join(values.out, `${name}-speed-up.svg`), `${report.toSvg()}\n`);
  const traced = await trace(() => pool.invoke(longest, 1, NUMBERS, leaf));
  const title = `Two threads, ${report.tasks} tasks, parallelism ${report.parallelism.toFixed(1)}`;
  const { traceEvents } = traced.toJSON();
  writeFileSync(
    join(values.out, `${name}-timeline.svg`),
    timelinePicture(traceEvents as Parameters<typeof timelinePicture>[0], title),
  );
}
/** The page of `furcate view`, of a program that has too few tasks at first, and then enough. */
const folder = mkdtempSync(join(tmpdir(), 'furcate-insight-'));
const file = join(folder, 'collatz.json');
const traced = await trace(
  async () => {
    for (const leaf of [...Object.values(PROGRAMS), 16]) await pool.invoke(longest, 1, NUMBERS, leaf);
  },
  { tasks: 'all' },
);
writeFileSync(file, JSON.stringify(traced));
/** The same of a pipeline, a limit and a graph. */
const flowsFile = join(folder, 'flows.json');
await runFlows(pool, 20);
const tracedFlows = await trace(() => runFlows(pool, values.short ? 20 : 60));
writeFileSync(flowsFile, JSON.stringify(tracedFlows));
await Promise.all([alone.close(), pool.close()]);
const command = fileURLToPath(new URL('../../dist/command.js', import.meta.url));
for (const path of [file, flowsFile])
  console.log(execFileSync(process.execPath, [command, 'view', path, '--no-open'], { encoding: 'utf8' }));
const page = join(folder, 'collatz.html');
const isTaken = takePictures(page, [
  { scheme: 'light', width: 1200, height: 1500, path: join(values.out, 'page-light.png') },
  { scheme: 'dark', width: 1200, height: 1500, path: join(values.out, 'page-dark.png') },
]);
takePictures(join(folder, 'flows.html'), [
  { scheme: 'light', width: 1200, height: 1750, path: join(values.out, 'flows-light.png') },
]);
if (!isTaken) console.log('There is no Chromium for pictures of the page.');
rmSync(folder, { recursive: true });
