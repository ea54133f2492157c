/**
 * `npm run bench:rivals [names]`: the same works by Furcate, a plain loop, bare workers, pools that send messages, and native programs; runs on the main
 * thread. Each system of JavaScript has a process of its own for each work; they take turns. The native programs run before them.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { readCommandLine } from '../harness/command-line.js';
import { Lane, withLanes } from '../harness/lane.js';
import { loadOfLastMinute, machine, unquiet } from '../harness/machine.js';
import { median, pairedRatio, spread } from '../harness/median.js';
import { layOut, shortNumber } from '../harness/table.js';
import type { Place } from './lane.js';
import { type NativeRun, runNative } from './native.js';
import { SYSTEMS, THREADS } from './systems.js';
import { ANSWERS, WORKS } from './works.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Below the root, so that the programs find the packages. */
const PROGRAMS = join(ROOT, '.build/rivals');

const USUAL = { rounds: 15, warmUps: 20 };
const SHORT = { rounds: 2, warmUps: 1 };

const HEAD = ['work', 'system', 'threads', 'median', 'spread', 'furcate beside it', 'first call'];

interface Row {
  readonly work: string;
  readonly system: string;
  readonly threads: number;
  readonly medianMs: number;
  readonly spread: number;
  /** Our time divided by that of the system: of the same round where both took turns. */
  readonly ratio: number;
  readonly firstMs?: number;
}

interface Times {
  readonly system: string;
  first: number;
  readonly ms: number[];
}

async function main(): Promise<void> {
  const { names, short, json, rounds } = readCommandLine(process.argv.slice(2), Object.keys(WORKS));
  const loadBefore = loadOfLastMinute();
  for (const warning of [unquiet(loadBefore), short ? 'Short run: do not keep these figures.' : undefined])
    if (warning !== undefined) console.log(warning);
  await buildPrograms();
  const effort = { ...(short ? SHORT : USUAL), ...(rounds === undefined ? {} : { rounds }) };
  console.error('native programs ...'); // progress goes to stderr, the table to stdout
  const native = await runNative();
  const rows: Row[] = [];
  for (const work of names.length === 0 ? Object.keys(WORKS) : names) {
    console.error(`${work} ...`);
    rows.push(...(await measured(work, native, effort)));
  }
  const versions = { ...versionsOfPackages(), ...native.versions };
  console.log(layOut(HEAD, new Set(HEAD.slice(2)), rows.map(cellsOf)));
  console.log('\nMilliseconds, medians. Beside it: our time over that of the system; below 1 we are faster.');
  for (const [system, what] of Object.entries(native.missing)) console.log(`Left out: ${system}, for want of ${what}.`);
  const report = {
    date: new Date().toISOString(),
    short,
    loadBefore,
    machine: machine(),
    versions,
    rows,
    missing: native.missing,
  };
  console.log(`\n${JSON.stringify({ machine: report.machine, versions }, null, 2)}`);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
}

async function buildPrograms(): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['benchmarks/rivals/*.ts', 'benchmarks/harness/*.ts', 'benchmarks/algorithms/random-keys.ts'],
    outdir: PROGRAMS,
    outbase: 'benchmarks',
    format: 'esm',
    target: 'node20',
  });
  for (const folder of ['rivals', 'tasks']) {
    const isModule = (path: string): boolean =>
      !path.endsWith('.ts') && !path.endsWith('.mts') && !path.includes('native');
    cpSync(join(ROOT, 'benchmarks', folder), join(PROGRAMS, folder), { recursive: true, filter: isModule });
  }
}

async function measured(work: string, native: NativeRun, { rounds, warmUps }: typeof USUAL): Promise<Row[]> {
  const hasParts = work in { mandelbrot: 1, sum: 1, histogram: 1 };
  const systems = hasParts ? SYSTEMS : SYSTEMS.slice(0, 2);
  const lanes = systems.map((system) => ({
    times: { system, first: 0, ms: [] } as Times,
    lane: new Lane(
      system,
      pathToFileURL(join(PROGRAMS, 'rivals/lane.js')),
      { work, system, share: 1 } satisfies Place,
      [],
    ),
  }));
  let expected = ANSWERS[work];
  await withLanes(
    lanes.map(({ lane }) => lane),
    async () => {
      for (let round = -1 - warmUps; round < rounds; round++) {
        // Each round begins with another one.
        for (let k = 0; k < lanes.length; k++) {
          const { lane, times } = lanes[(k + round + 1 + warmUps) % lanes.length];
          await lane.run('prepare');
          const { ms, answer } = await lane.run('call');
          expected ??= answer as number;
          if (answer !== expected)
            throw new Error(`${work}, ${times.system}: ${answer}; the right answer is ${expected}.`);
          if (round === -1 - warmUps) times.first = ms;
          else if (round >= 0) times.ms.push(ms);
        }
      }
    },
  );
  const ours = (lanes.find(({ times }) => times.system === 'furcate') as (typeof lanes)[number]).times.ms;
  const rows: Row[] = lanes.map(({ times: { system, first, ms } }) => ({
    work,
    system,
    threads: system === 'plain' ? 1 : THREADS,
    medianMs: median(ms),
    spread: spread(ms),
    ratio: pairedRatio(ours, ms),
    firstMs: first,
  }));
  for (const { system, workload, threads, median_ms, spread, check } of native.times) {
    // Native programs of one thread are listed where they have no other.
    if (workload !== work || (threads !== THREADS && system !== 'vqsort')) continue;
    // A sum in another order may differ in its last bits.
    if (Math.abs(check - expected) > 1)
      throw new Error(`${work}, ${system}: ${check}; the right answer is ${expected}.`);
    rows.push({ work, system, threads, medianMs: median_ms, spread, ratio: median(ours) / median_ms });
  }
  return rows;
}

const cellsOf = ({ work, system, threads, medianMs, spread, ratio, firstMs }: Row): string[] => [
  work,
  system,
  String(threads),
  shortNumber(medianMs),
  `${Math.round(spread * 100)} %`,
  system === 'furcate' ? '' : shortNumber(ratio),
  firstMs === undefined ? '' : shortNumber(firstMs),
];

function versionsOfPackages(): Record<string, string> {
  const versionOf = (path: string): string =>
    JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8')).version;
  const packages = ['piscina', 'tinypool', 'workerpool', 'poolifier'];
  return {
    furcate: versionOf('.'),
    ...Object.fromEntries(packages.map((name) => [name, versionOf(`node_modules/${name}`)])),
  };
}

await main();
