/**
 * `npm run bench:workloads [names]`: real programs on two threads beside their sequential versions; runs on the main thread.
 *
 * Each version runs in a process of its own, as plain JavaScript. So the first call is that of a fresh process; afterwards the versions take turns.
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { readCommandLine } from '../harness/command-line.js';
import { compare, type Effort, type Sample } from '../harness/compare.js';
import { Lane, withLanes } from '../harness/lane.js';
import { loadOfLastMinute, machine, unquiet } from '../harness/machine.js';
import { median, pairedRatio, spread } from '../harness/median.js';
import { layOut, shortNumber } from '../harness/table.js';
import type { Version } from './lane.js';
import { buildPrograms, programOf } from './programs.js';
import { BARE, loadWorkload, workloadNames } from './workload.js';

/** Below the root, so that the programs find the build of the package by its name. */

/** How often all versions start in fresh processes, and how often each of these is called. */
const USUAL = { processes: 3, rounds: 5, warmUps: 2 };
const SHORT = { processes: 1, rounds: 1, warmUps: 0 };

const HEAD = [
  'workload',
  'sequential',
  'parallel',
  'speed-up',
  'spread',
  'CPU',
  'beside bare',
  'first, seq.',
  'first, par.',
  'first',
  'first, beside bare',
];

/** The times of one version in milliseconds: of first calls, and of later ones. */
interface Times {
  readonly first: number[];
  readonly warm: number[];
  readonly cpu: number[];
}

interface Row {
  readonly workload: string;
  readonly size: string;
  readonly way: string;
  readonly sequential: Times;
  readonly parallel: Times;
  /** Of two bare workers, where there is a version by hand. */
  readonly bare?: Times;
}

async function main(): Promise<void> {
  const { names, short, json, rounds } = readCommandLine(process.argv.slice(2), workloadNames());
  const loadBefore = loadOfLastMinute();
  for (const warning of [unquiet(loadBefore), short ? 'Short run: do not keep these figures.' : undefined])
    if (warning !== undefined) console.log(warning);
  await buildPrograms();
  const rows: Row[] = [];
  const effort = { ...(short ? SHORT : USUAL), ...(rounds === undefined ? {} : { rounds }) };
  for (const workload of names.length === 0 ? workloadNames() : names) {
    console.error(`${workload} ...`); // progress goes to stderr, the table to stdout
    const { config, ways, byHand } = await loadWorkload(workload);
    for (const size of Object.keys(config.sizes))
      rows.push(...(await measured(workload, size, [...Object.keys(ways), ...(byHand ? [BARE] : [])], effort)));
  }
  console.log(layOut(HEAD, new Set(HEAD.slice(1)), rows.map(cellsOf)));
  console.log(
    '\nMilliseconds, medians. CPU: processor time of the parallel version over that of the sequential one. Beside bare: speed-up over that of two bare workers.',
  );
  if (json === undefined) return;
  const report = { date: new Date().toISOString(), short, loadBefore, machine: machine(), rows };
  writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
}

async function measured(
  workload: string,
  size: string,
  ways: readonly string[],
  { processes, ...warm }: Effort & { readonly processes: number },
): Promise<Row[]> {
  const versions = [undefined, ...ways].map((way) => ({ way, times: { first: [], warm: [], cpu: [] } as Times }));
  for (let process = 0; process < processes; process++) {
    const lanes = versions.map(({ way, times }) => ({
      name: way ?? 'sequential',
      times,
      lane: laneOf({ workload, size, way }),
    }));
    await withLanes(
      lanes.map(({ lane }) => lane),
      async () => {
        for (const { times, lane } of lanes) times.first.push((await lane.run('call')).ms);
        let round = -warm.warmUps * lanes.length;
        const candidates = lanes.map(({ name, lane, times }) => ({
          name: name,
          expected: undefined, // lanes check the answers themselves
          run: async (): Promise<Sample> => {
            const sample = await lane.run('call');
            if (round++ >= 0) {
              times.warm.push(sample.ms);
              times.cpu.push(sample.cpuMs!);
            }
            return sample;
          },
        }));
        await compare(candidates, warm);
      },
    );
  }
  const [{ times: sequential }, ...others] = versions;
  const bare = others.find(({ way }) => way === BARE)?.times;
  return others
    .filter(({ way }) => way !== BARE)
    .map(({ way, times }) => ({ workload, size, way: way!, sequential, parallel: times, ...(bare && { bare }) }));
}

const laneOf = (version: Version): Lane => new Lane(version.workload, pathToFileURL(programOf('lane.js')), version, []);

function cellsOf({ workload, size, way, sequential, parallel, bare }: Row): string[] {
  const ratio = (key: keyof Times): string => pairedRatio(sequential[key], parallel[key]).toFixed(2);
  const besideBare = (key: keyof Times): string =>
    bare === undefined ? '' : pairedRatio(bare[key], parallel[key]).toFixed(2);
  return [
    [workload, size, way].filter((part) => part !== '').join(', '),
    shortNumber(median(sequential.warm)),
    shortNumber(median(parallel.warm)),
    ratio('warm'),
    `${Math.round(spread(parallel.warm) * 100)} %`,
    pairedRatio(parallel.cpu, sequential.cpu).toFixed(2),
    besideBare('warm'),
    shortNumber(median(sequential.first)),
    shortNumber(median(parallel.first)),
    ratio('first'),
    besideBare('first'),
  ];
}

await main();
