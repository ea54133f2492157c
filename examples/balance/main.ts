/**
 * The program of `npm run example:balance`: measures loops under each partition, checks their results, and draws who was busy when. The
 * pictures of docs/balance.md are its output. `-- --short` takes a quick look; `-- --only wing` makes one picture; `-- --out <folder>` writes
 * elsewhere.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ForkJoinPool, type Partition } from 'furcate';
import { svgOf } from '../flights/svg.js';
import { granularity } from './granularity.js';
import { measure } from './measure.js';
import { busyPicture, granularityPicture } from './pictures.js';
import { measureSteps, measureTransposition } from './steps.js';
import { workloads } from './workloads.js';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    out: { type: 'string', default: 'docs/balance' },
    only: { type: 'string' },
  },
});
const { short, out, only } = values;
mkdirSync(out, { recursive: true });

async function draw(name: string, spec: Parameters<typeof svgOf>[0]): Promise<void> {
  writeFileSync(join(out, `${name}.svg`), `${await svgOf(spec)}\n`);
}

/** Two threads: the pictures are about who waits for whom, not about how many cores there are. */
const pool = new ForkJoinPool({ parallelism: 2, preload: ['furcate/tsx'] });
await pool.ready();

for (const workload of workloads(short ? 0.01 : 1)) {
  const { name, title, block } = workload;
  if (name !== (only ?? name)) continue;
  const partitions = new Map<string, Partition>([
    ['static', 'static'],
    [block === 1 ? 'cyclic' : `cyclic, blocks of ${block}`, { kind: 'cyclic', block }],
    ['adaptive', 'adaptive'],
  ]);
  const runs = await measure(pool, workload, partitions, short ? 2 : 25);
  await draw(name, busyPicture(title, runs));
  console.log(`${name}: ${[...runs].map(([label, { ms }]) => `${label} ${ms.toFixed(1)} ms`).join(', ')}`);
}

if (only === undefined || only === 'granularity') {
  const n = short ? 4 ** 6 : 4 ** 11;
  const measured = await granularity(pool, n, short ? 1 : 8);
  await draw('granularity', granularityPicture(n, measured));
  console.log(`plain loop ${measured.plainMs.toFixed(1)} ms; leaves of`);
  for (const { size, ms } of measured.leaves) console.log(`${size}: ${ms.toFixed(1)} ms`);
}

if (only === undefined || only === 'steps') {
  const tell = (what: string, times: ReadonlyMap<string, number>): void =>
    console.log(`${what}: ${[...times].map(([name, ms]) => `${name} ${ms.toFixed(2)} ms`).join(', ')}`);
  const [small, large] = short ? [64, 96] : [1000, 2000];
  for (const side of [small, large])
    tell(`a time step, ${side} by ${side}`, await measureSteps(pool, side, side, short ? 2 : 60));
  for (const side of [small, large])
    tell(`a transposition, ${side} by ${side}`, await measureTransposition(pool, side, short ? 2 : 30));
}
await pool.close();
