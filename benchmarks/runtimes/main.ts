/**
 * The program of `npm run bench:runtimes`: three kinds of work on every runtime, each beside the plain program and bare workers on the same
 * runtime, as a table in Markdown. Every turn runs each runtime once, in a fresh process or page.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeProject } from '../../test/runtimes/project.js';
import { loadOfLastMinute, machine, unquiet } from '../harness/machine.js';
import { median, pairedRatio } from '../harness/median.js';
import { HOSTS, measureOn, PROGRAMS, REFERENCE, type Samples, WORKS, type Work } from './hosts.js';

/** A runtime that is slower than the reference by more than this is marked. */
const LIMIT = 1.3;
/** Empty calls in a sample of a round trip, as programs/lane.mjs makes them. */
const CALLS = 300;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    turns: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '9' },
  },
});
const isChosen = (host: string): boolean =>
  host === REFERENCE || values.only === undefined || values.only.split(',').some((name) => host.startsWith(name));
const hosts = HOSTS.filter(isChosen);
const effort = { rounds: Number(values.rounds), warmUps: 3 };

/** All samples of a runtime, turn after turn. */
const measured = new Map<string, Samples[]>(hosts.map((host) => [host, []]));

const samplesOf = (host: string, work: Work, candidate: string): readonly number[] =>
  measured.get(host)!.flatMap((samples) => samples[work][candidate]);
const hasCandidate = (work: Work, candidate: string): boolean =>
  measured.get(REFERENCE)!.every((samples) => candidate in samples[work]);

/** Our time over that of another candidate on the same runtime. */
const ratio = (host: string, work: Work, candidate: string): number =>
  pairedRatio(samplesOf(host, work, 'furcate'), samplesOf(host, work, candidate));

const rounded = (value: number): string => value.toPrecision(value >= 100 ? 3 : 2);

function cell(host: string, work: Work): string {
  const ms = median(samplesOf(host, work, 'furcate'));
  const shown = work === 'round trip' ? `${rounded((ms / CALLS) * 1000)} us` : `${rounded(ms)} ms`;
  const ratios = ['plain', 'bare'].map((candidate) =>
    hasCandidate(work, candidate) ? `${ratio(host, work, candidate).toFixed(2)} ${candidate}` : '',
  );
  // Engines differ, so that only their own plain programs tell what the library adds.
  const relative = hasCandidate(work, 'plain')
    ? ratio(host, work, 'plain') / ratio(REFERENCE, work, 'plain')
    : ms / median(samplesOf(REFERENCE, work, 'furcate'));
  const mark = relative > LIMIT ? `; **${relative.toFixed(1)}**` : '';
  return `${shown} (${ratios.filter((text) => text !== '').join(', ')}${mark})`;
}

console.error(unquiet(loadOfLastMinute()) ?? 'The machine is quiet.');
console.error(JSON.stringify(machine()));
const project = await makeProject([]);
try {
  const programs = fileURLToPath(new URL('./programs', import.meta.url));
  cpSync(programs, join(project.folder, PROGRAMS), { recursive: true });
  for (let turn = 0; turn < Number(values.turns); turn++) {
    for (let k = 0; k < hosts.length; k++) {
      const host = hosts[(k + turn) % hosts.length];
      console.error(`${turn + 1}: ${host} ...`);
      measured.get(host)!.push(await measureOn(host, project, effort));
    }
  }
} finally {
  project.remove();
}
console.log('| runtime | empty `invoke` | `parallelReduce` | fib(32) |\n| --- | --- | --- | --- |');
for (const host of hosts) console.log(`| ${host} | ${WORKS.map((work) => cell(host, work)).join(' | ')} |`);
