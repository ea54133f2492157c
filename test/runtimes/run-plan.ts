/** Runs a plan, two files at a time, and says what fails as soon as it does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { impossibleOn, unloadable } from './capabilities.js';
import { type Host, runOn } from './host-run.js';
import { makeHost } from './hosts.js';
import { ROOT } from './module-files.js';
import type { Plan, Step } from './plan.js';
import { makeProject, type Project } from './project.js';
import { failures, hasFailed, type Row } from './report.js';
import { expectedOutput } from './suites.js';

/** Files that run at the same time. Tests of this library use two threads and more. */
const JOBS = 2;

export interface RunOptions {
  /** A regular expression for names of tests. */
  readonly test?: string | undefined;
  /** Time limit of a test that names none. */
  readonly timeoutMs: number;
  print(text: string): void;
}

export async function runPlan({ steps, variables }: Plan, options: RunOptions): Promise<Row[]> {
  const project = await makeProject([...new Set(steps.map(({ file }) => file))]);
  const hosts = new Map<string, Host>();
  try {
    for (const { host } of steps) if (!hosts.has(host)) hosts.set(host, makeHost(host, project));
    const rows: Row[] = [];
    const queue = [...steps];
    /** Hosts that run one file at a time, and run one. */
    const busy = new Set<Host>();
    const isFree = ({ host }: Step): boolean => !busy.has(hosts.get(host) as Host);
    const work = async (): Promise<void> => {
      for (;;) {
        const index = queue.findIndex(isFree);
        const step = index < 0 ? undefined : (queue.splice(index, 1)[0] as Step);
        if (step === undefined) return; // what is left waits for the hosts of the other job, which will take it
        const host = hosts.get(step.host) as Host;
        if (host.runsOneFile) busy.add(host);
        const row = { ...step, outcome: await runOn(host, { ...fileRun(step, project, options), variables }) };
        busy.delete(host);
        rows.push(row);
        if (hasFailed(row)) options.print(failures(row));
      }
    };
    await Promise.all(Array.from({ length: JOBS }, work));
    return rows;
  } finally {
    for (const host of hosts.values()) await host.close();
    project.remove();
  }
}

const fileRun = ({ host, suite, file }: Step, project: Project, { test, timeoutMs }: RunOptions) => ({
  file,
  timeoutMs,
  checkout: pathToFileURL(ROOT).href,
  impossible: impossibleOn(host, file),
  unloadable: unloadable(host, project.externals.get(file) ?? new Set(), project.packages),
  ...(suite === 'users' ? { expected: expectedOutput(readFileSync(join(project.folder, file), 'utf8')) } : {}),
  ...(test === undefined ? {} : { pattern: test }),
});
