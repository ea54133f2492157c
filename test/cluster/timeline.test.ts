/** Timelines of the processes of a cluster: each records its own, and `furcate view` puts them on one by their clocks. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { microsecondsOf } from '../../src/cluster/timeline.js';
import type { TimelineProcess } from '../../src/insight/recording/chrome-events.js';
import { ROOT } from '../helpers/project-files.js';
import { timelineOf } from '../helpers/timeline.js';
import { Processes } from './processes.js';

const processes = new Processes();
beforeAll(() => processes.startServer());
afterAll(() => processes.end());

/** All clocks here are that of one machine; what a process takes for its own clock was read when it started (microseconds). */
const SAME_CLOCK_US = 100_000;

test('jobs are on one timeline at their client and their hosts, by clocks that were compared with that of the server', async () => {
  const folder = processes.newFolder();
  const fileOf = (name: string): string => join(folder, `${name}.bin`);
  const hosts = [];
  for (const name of ['A', 'B']) hosts.push(await processes.startHostWith({ FURCATE_TRACE: fileOf(name) }, name));
  const program = [process.execPath, join(ROOT, 'test/cluster/run-traced.mjs'), processes.nats, processes.newFolder()];
  const client = processes.start('env', `FURCATE_TRACE=${fileOf('client')}`, ...program);
  expect([await client.ended, client.output]).toEqual([0, '']);
  for (const host of hosts) await host.end('SIGTERM');
  const files = ['client', 'A', 'B'].map(fileOf);
  const run = async (...more: readonly string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [join(ROOT, 'dist/command.js'), 'view', ...files, ...more])).stdout;
  const json = join(folder, 'all.json');
  await run('--json', json);
  const text = readFileSync(json, 'utf8');
  const { events, problems } = timelineOf(text);
  expect(problems).toEqual([]);
  const names = new Map(
    events.filter(({ name }) => name === 'process_name').map(({ pid, args }) => [pid, args?.['name']]),
  );
  expect([...names.values()]).toEqual([
    expect.stringMatching(/^client \(\d+\)$/),
    expect.stringMatching(/^host A \(\d+\)$/),
    expect.stringMatching(/^host B \(\d+\)$/),
  ]);
  const { processes: known } = (JSON.parse(text) as { otherData: { processes: TimelineProcess[] } }).otherData;
  for (const { clocks } of known) {
    expect(clocks.length).toBeGreaterThan(0);
    for (const { errorUs } of clocks) expect(errorUs).toBeGreaterThan(0);
  }
  const jobs = events.filter(({ ph, cat }) => ph === 'b' && cat === 'job');
  expect(jobs.map(({ pid, name }) => [pid, name]).sort()).toEqual(
    [1, 1, 2, 3].map((pid) => [pid, "host function 'meet'"]),
  );
  const endOf = (id: number | undefined): number =>
    events.find((event) => event.ph === 'e' && event.cat === 'job' && event.id === id)?.ts as number;
  const errorUs = known.flatMap(({ clocks }) => clocks).reduce((most, { errorUs }) => Math.max(most, errorUs), 0);
  for (const atHost of jobs.filter(({ pid }) => pid > 1)) {
    const atClient = jobs.find(({ pid, args }) => pid === 1 && args?.['job'] === atHost.args?.['job']);
    const slackUs = 2 * errorUs + SAME_CLOCK_US;
    expect(atHost.ts).toBeGreaterThan((atClient?.ts as number) - slackUs);
    expect(endOf(atHost.id)).toBeLessThan(endOf(atClient?.id) + slackUs);
  }
  const page = await run('--no-open', '--output', join(folder, 'all.html'));
  expect(page).toMatch(
    /3 processes are on one timeline\. Their clocks: 3 processes by comparisons with the server of the cluster, to within /,
  );
});

test('times of the server are read to the nanosecond that it tells', () => {
  expect(microsecondsOf('1970-01-01T00:00:01Z')).toBe(1e6);
  expect(microsecondsOf('1970-01-01T00:00:01.25Z')).toBe(1.25e6);
  expect(microsecondsOf('1970-01-01T00:00:00.123456789Z')).toBeCloseTo(123_456.789, 6);
  for (const wrong of [undefined, '', 'now', '1970-01-01', 5]) expect(microsecondsOf(wrong)).toBeUndefined();
});
