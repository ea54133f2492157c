/** The command `furcate-cluster`: what waits and what is left, and how to be rid of it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect, type JobEntry, type RunEntry } from 'furcate/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../helpers/project-files.js';
import { entriesIn, Processes } from './processes.js';
import * as tasks from './tasks.mjs';

const processes = new Processes();
beforeAll(() => processes.startServer());
afterAll(() => processes.end());

/** Runs the command. @returns what it prints */
async function command(...args: readonly string[]): Promise<string> {
  const program = [join(ROOT, 'dist/clusterCommand.js'), ...args, '--nats', processes.nats];
  return (await promisify(execFile)(process.execPath, program)).stdout;
}
const json = async <T>(...args: readonly string[]): Promise<T> => JSON.parse(await command(...args, '--json')) as T;

test('shows hosts, jobs and runs, and purges a run: its jobs end, and its results go', async () => {
  const app = ['--app', 'inventory'];
  await processes.startHost('A', ...app);
  const folder = processes.newFolder();
  const dying = processes.startProgram('run-gated.mjs', 'inventory', folder, '5', 'nightly 22');
  await entriesIn(folder, '', 2);
  await dying.end();

  expect(await command('hosts', ...app)).toMatch(
    /^name +threads +version +jobs +blockedMs\nA +1 +- +2 +0\n3 jobs wait, 2 run; 0 results/,
  );
  const jobs = await json<JobEntry[]>('jobs', ...app);
  expect(jobs.map(({ run, call }) => [run, call])).toEqual(Array.from({ length: 5 }, () => ['nightly 22', 'map']));
  expect(await json<JobEntry[]>('jobs', 'another run', ...app)).toEqual([]);
  expect(await json<RunEntry[]>('runs', ...app)).toEqual([{ run: 'nightly 22', isNamed: true, jobs: 5, results: 0 }]);
  expect(await json('purge', '--abandoned', ...app)).toEqual([]);
  expect(await json('purge', 'nightly 22', ...app)).toEqual([{ run: 'nightly 22', jobs: 5, results: 0 }]);
  expect(await command('runs', ...app)).toBe('There are none.\n');

  const cluster = await connect({ nats: processes.nats, app: 'inventory' });
  expect(await cluster.parallelMap([1, 2], tasks.itself)).toEqual([1, 2]); // the host is free
  await cluster.close();
});

test('purges what clients have left that are gone, and leaves what is of those that live', async () => {
  const app = ['--app', 'abandoned'];
  const folder = processes.newFolder();
  const alive = await connect({ nats: processes.nats, app: 'abandoned' });
  const call = alive.parallelMap([1], tasks.itself);
  const dying = processes.startProgram('run-gated.mjs', 'abandoned', folder, '3', '');
  const left = (): Promise<RunEntry[]> => json('runs', ...app);
  let runs = await left();
  while (runs.reduce((sum, run) => sum + run.jobs, 0) < 4) runs = await left();
  await dying.end();
  const [purged, ...more] = await json<{ jobs: number }[]>('purge', '--abandoned', ...app);
  expect([purged?.jobs, more]).toEqual([3, []]);
  expect(await left()).toMatchObject([{ isNamed: false, hasClient: true, jobs: 1 }]);
  await processes.startHost('B', ...app);
  expect(await call).toEqual([1]);
  await alive.close();
});

test('explains its usage for what it does not know', async () => {
  for (const [args, message] of [
    [['list'], /there is no command 'list'/],
    [['purge'], /purge takes the name of a run/],
    [['jobs', 'a', 'b'], /takes one run at most/],
  ] as const)
    await expect(command(...args)).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  expect(await command('--help')).toContain('Usage: furcate-cluster COMMAND');
});
