/** Reads the results of runs, and sums them up by folder. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Outcome } from './settings.js';

/** Whether the suite failed: by a failing test, a hang, or an error outside of a test. */
export const isKilled = ({ status }: Outcome): boolean => ['Killed', 'Timeout', 'RuntimeError'].includes(status);

/** The outcomes in a result file, of a complete or an interrupted run. */
export function outcomesIn(path: string): Outcome[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Outcome);
}

export const hashOf = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16);

/** Whether an outcome belongs to the current source. */
export const isCurrent = ({ file, source }: Outcome): boolean => existsSync(file) && hashOf(file) === source;

/** The keys of the mutants that an earlier run killed. */
export const killedIn = (path: string): ReadonlySet<string> =>
  new Set(
    outcomesIn(path)
      .filter(isCurrent)
      .filter(isKilled)
      .map(({ key }) => key),
  );

/** One outcome for each mutant: killed if the tests of either stage killed it. */
export function merged(outcomes: readonly Outcome[]): Outcome[] {
  const byKey = new Map<string, Outcome>();
  for (const outcome of outcomes) {
    const before = byKey.get(outcome.key);
    if (before === undefined || !isKilled(before)) byKey.set(outcome.key, outcome);
  }
  return [...byKey.values()];
}

const folderOf = (file: string): string =>
  (file.startsWith('src/core/') ? file.split('/', 3) : file.split('/', 2)).join('/');

/** A table of folders: mutants, killed mutants, score and survivors. */
export function summaryOf(outcomes: readonly Outcome[]): string {
  const folders = [...new Set(outcomes.map(({ file }) => folderOf(file)))].sort();
  const rows = folders.map((folder) => {
    const mine = outcomes.filter(({ file }) => folderOf(file) === folder);
    const killed = mine.filter(isKilled).length;
    const unreached = mine.filter(({ status }) => status === 'NoCoverage').length;
    const score = ((100 * killed) / mine.length).toFixed(1);
    return `| ${folder} | ${mine.length} | ${killed} | ${score} % | ${mine.length - killed} | ${unreached} |`;
  });
  return [
    '| folder | mutants | killed | score | survivors | survivors in code that no test runs |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

/** The survivors, one on each line. */
export function survivorsOf(outcomes: readonly Outcome[]): string {
  const cut = (text: string): string => (text.length > 90 ? `${text.slice(0, 87)}...` : text);
  return outcomes
    .filter((outcome) => !isKilled(outcome))
    .sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
    .map(
      ({ file, line, mutator, original, replacement, status }) =>
        `${file}:${line} ${mutator}${status === 'NoCoverage' ? ' (no test runs it)' : ''}: ${cut(original)} -> ${cut(replacement.replace(/\s+/g, ' '))}`,
    )
    .join('\n');
}
