/** The program of `npm run example:insight`: the pictures of docs/insight.md, from real runs. `-- --short` takes a quick look, `-- --out <folder>` writes elsewhere. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ForkJoinPool } from 'furcate';
import { profile, trace } from 'furcate/insight';
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
await Promise.all([alone.close(), pool.close()]);
