/** What a run prints: each failure with the command that repeats it, and a table of hosts and suites. */
import type { FileOutcome } from './outcome.js';
import { SUITES, type Suite } from './suites.js';

/** At most so many lines of an error, and so many failures of a file in full. The others are named. */
const ERROR_LINES = 12;
const FULL_FAILURES = 3;
const SLOWEST = 10;

export interface Row {
  readonly host: string;
  readonly suite: Suite;
  readonly outcome: FileOutcome;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const firstLine = (errors: readonly string[]): string => errors[0]?.split('\n')[0] ?? '';

const indented = (text: string): string =>
  text
    .split('\n')
    .slice(0, ERROR_LINES)
    .map((line) => `        ${line}`)
    .join('\n');

/** The command that runs a file again, or one test of it. */
const repeat = ({ host, outcome: { file } }: Row, test?: string): string =>
  `npm run test:runtimes -- --only ${host} --file ${file}${test === undefined ? '' : ` --test ${quoted(`^${escaped(test)}$`)}`}`;

export const hasFailed = ({ outcome: { tests, strays } }: Row): boolean =>
  strays.length > 0 || tests.some(([, { state }]) => state === 'failed');

/** All failures of a file, with how to repeat them; empty if there are none. */
export function failures(row: Row): string {
  const { host, outcome } = row;
  const lines: string[] = [];
  let failed = 0;
  for (const [name, test] of outcome.tests) {
    if (test.state !== 'failed') continue;
    lines.push(`FAILED  ${host}: ${outcome.file}: ${name}`);
    if (++failed > FULL_FAILURES) lines.push(indented(firstLine(test.errors)));
    else lines.push(...test.errors.map(indented), `        repeat: ${repeat(row, name)}`);
  }
  for (const stray of outcome.strays)
    lines.push(`FAILED  ${host}: ${outcome.file}, beside its tests`, indented(stray), `        repeat: ${repeat(row)}`);
  return lines.join('\n');
}

function cell(rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  const count = (state: string): number =>
    rows.reduce((sum, { outcome }) => sum + outcome.tests.filter(([, test]) => test.state === state).length, 0);
  const strays = rows.reduce((sum, { outcome }) => sum + outcome.strays.length, 0);
  const seconds = rows.reduce((sum, { outcome }) => sum + outcome.seconds, 0);
  return `${count('passed')}/${count('failed') + strays}/${count('not possible')} ${seconds.toFixed(0)} s`;
}

/** Hosts and suites; in each field: passed/failed/not possible, and seconds. */
export function table(rows: readonly Row[]): string {
  const hosts = [...new Set(rows.map(({ host }) => host))];
  const suites = SUITES.filter((suite) => rows.some((row) => row.suite === suite));
  const fields = hosts.map((host) => [
    host,
    ...suites.map((suite) => cell(rows.filter((row) => row.host === host && row.suite === suite))),
  ]);
  const all = [['passed/failed/not possible', ...suites], ...fields];
  const widths = (all[0] as string[]).map((_, column) =>
    Math.max(...all.map((line) => (line[column] as string).length)),
  );
  return all
    .map((line) =>
      line
        .map((text, i) => text.padEnd(widths[i] as number))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The files that took longest. */
export const slowest = (rows: readonly Row[]): string =>
  [...rows]
    .sort((a, b) => b.outcome.seconds - a.outcome.seconds)
    .slice(0, SLOWEST)
    .map(({ host, outcome: { file, seconds } }) => `slow: ${host} ${file} ${seconds.toFixed(0)} s`)
    .join('\n');

/** Why tests were not possible, and on which hosts. */
export function reasons(rows: readonly Row[]): string {
  const found = new Map<string, Map<string, number>>();
  for (const { host, outcome } of rows) {
    for (const [, test] of outcome.tests) {
      if (test.state !== 'not possible') continue;
      const hosts = found.get(test.reason) ?? new Map<string, number>();
      found.set(test.reason, hosts.set(host, (hosts.get(host) ?? 0) + 1));
    }
  }
  return [...found]
    .map(([reason, hosts]) => `not possible: ${reason} (${[...hosts].map(([host, n]) => `${host} ${n}`).join(', ')})`)
    .join('\n');
}
