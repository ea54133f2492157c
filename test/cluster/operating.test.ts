/** `furcate-worker` as operators run it: logs, metrics, probes, and its end. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Cluster, connect } from 'furcate/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../helpers/project-files.js';
import { entriesIn, freePort, Processes } from './processes.js';
import * as tasks from './tasks.mjs';

const processes = new Processes();
const clusters: Cluster[] = [];

beforeAll(() => processes.startServer());
afterAll(async () => {
  await Promise.all(clusters.map((cluster) => cluster.terminate()));
  await processes.end();
});

async function client(app: string): Promise<Cluster> {
  const cluster = await connect({ nats: processes.nats, app });
  clusters.push(cluster);
  return cluster;
}

const start = (app: string, ...args: readonly string[]) =>
  processes.startHostProgram({}, 'A', '--nats', processes.nats, '--app', app, ...args);

test('a log in JSON has a line for each event, with run and job, and an error where the host cannot start', async () => {
  const host = start('json', '--log', 'json');
  await host.says(/"event":"ready"/);
  const cluster = await client('json');
  await cluster.parallelMap([1], tasks.itself, { run: 'nightly 22' });
  await cluster.parallelMap(['no'], tasks.fails).catch(() => {});
  await host.says(/"event":"job-failed"/);
  expect(await host.end('SIGTERM')).toBe(0);
  const lines = host.output.trim().split('\n');
  const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const of = { host: 'A', app: 'json', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) };
  expect(events).toMatchObject(
    ['ready', 'job-begun', 'job-done', 'job-begun', 'job-failed', 'ending', 'ended'].map((event) => ({ event, ...of })),
  );
  expect(events[2]).toMatchObject({ run: 'nightly 22', call: 'map', what: "host function 'itself'", level: 'info' });
  expect(events[4]).toMatchObject({ error: 'RangeError: no', level: 'warn' });

  const failing = start('json', '--log', 'json', '--lease', '1e12');
  expect(await failing.ended).toBe(1);
  expect(JSON.parse(failing.output)).toMatchObject({ level: 'error', event: 'failed', error: expect.any(String) });
});

test('a host with a log in JSON prints nothing else: warnings, errors that nobody catches, wrong arguments', async () => {
  const host = start('only-json', '--log', 'json');
  await host.says(/"event":"ready"/);
  const cluster = await client('only-json');
  const call = cluster.invoke(tasks.throwsLater, 'out of reach');
  call.catch(() => {});
  expect(await host.ended).toBe(1);
  const wrong = start('only-json', '--log=json', '--no-such-option');
  expect(await wrong.ended).toBe(2);
  const lines = `${host.output}${wrong.output}`.trim().split('\n');
  const events = lines.map((line) => JSON.parse(line) as { event: string; error?: string });
  const failed = { event: 'failed', level: 'error' };
  expect(events).toContainEqual(expect.objectContaining({ event: 'warning', level: 'warn', error: 'out of reach' }));
  expect(events).toContainEqual(expect.objectContaining({ ...failed, error: 'out of reach' }));
  expect(events.at(-1)).toMatchObject({ ...failed, error: expect.stringContaining('--no-such-option') });
});

/** The values of metrics, by their names and labels without those that all have. */
async function metricsAt(port: number): Promise<Map<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith('furcate_'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      const name = line.slice(0, end).replace(/,?(app|host)="[^"]*"/g, '');
      return [name.replace('{,', '{').replace('{}', ''), Number(line.slice(end + 1))];
    }),
  );
}

test('metrics count jobs and bytes, and tell what the server has; probes tell whether the host takes jobs', async () => {
  const port = await freePort();
  const host = start('metrics', '--metrics', `127.0.0.1:${port}`, '--health', `127.0.0.1:${port}`, '--lease', '300');
  await host.says(/is ready/);
  const cluster = await client('metrics');
  const folder = processes.newFolder();
  await cluster.parallelMap([1, 2, 3], tasks.itself);
  await cluster.parallelMap(['no'], tasks.fails).catch(() => {});
  const call = cluster.parallelMap(
    [0, 1, 2].map((k): [string, number] => [folder, k]),
    tasks.gated,
  );
  await entriesIn(folder, '', 2);
  let found = await metricsAt(port);
  while (found.get('furcate_lease_renewals_total') === 0) found = await metricsAt(port);
  expect(Object.fromEntries(found)).toMatchObject({
    'furcate_jobs_total{outcome="done"}': 3,
    'furcate_jobs_total{outcome="failed"}': 1,
    'furcate_job_duration_seconds_count{outcome="done"}': 3,
    furcate_jobs_running: 2,
    furcate_jobs_waiting: 1,
    furcate_jobs_in_flight: 2,
    furcate_hosts: 1,
    furcate_server_connected: 1,
    furcate_leases_lost_total: 0,
  });
  expect(found.get('furcate_bytes_total{direction="out"}')).toBeGreaterThan(0);

  const dashboard = readFileSync(join(ROOT, 'examples/cluster/grafana.json'), 'utf8');
  const used = new Set([...dashboard.matchAll(/furcate_[a-z_]+/g)].map(([name]) => name));
  const exposed = new Set([...found.keys()].map((name) => name.split('{')[0]));
  expect([...used].filter((name) => !exposed.has(name))).toEqual([]);

  const probe = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return [response.status, ((await response.json()) as { state?: string }).state];
  };
  expect(await probe('/readyz')).toEqual([200, 'ready']);
  expect(await probe('/healthz')).toEqual([200, 'ready']);
  expect(await probe('/other')).toEqual([404, undefined]);
  const ended = host.end('SIGTERM');
  await host.says(/ends when 2 jobs are done/);
  expect(await probe('/readyz')).toEqual([503, 'ending']);
  expect(await probe('/healthz')).toEqual([200, 'ending']);
  mkdirSync(join(folder, 'open'));
  expect(await ended).toBe(0);
  await processes.startHost('B', '--app', 'metrics');
  expect(await call).toHaveLength(3);
});

test('metrics without prom-client are an error that says what to install', async () => {
  const hook = `export const resolve = (name, context, next) => { if (name === 'prom-client') throw new Error('none'); return next(name, context); }`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)});`;
  const environment = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(register)}` };
  const host = processes.startHostProgram(environment, 'P', '--nats', processes.nats, '--metrics', '0');
  expect(await host.ended).toBe(1);
  expect(host.output).toMatch(/^furcate: --metrics needs prom-client\. Install it: npm install prom-client$/m);
});

test('a host that is told to end gives its jobs to others after its grace, and they are no deaths', async () => {
  const folder = processes.newFolder();
  const cluster = await client('grace');
  const item: [string, number] = [folder, 7];
  const call = cluster.parallelMap([item], tasks.gated);
  for (let hosts = 1; hosts <= 4; hosts++) {
    const host = start('grace', '--grace', '0.1', '--lease', '600000'); // nobody waits for that
    await entriesIn(folder, '7-', hosts);
    expect(await host.end('SIGTERM')).toBe(0);
  }
  mkdirSync(join(folder, 'open'));
  await processes.startHost('B', '--app', 'grace');
  expect(await call).toEqual([[7, 'B']]);
});

test('a host that npx has started ends with it', async () => {
  const port = await freePort();
  const program = [join(ROOT, 'dist/clusterHost.js'), join(ROOT, 'test/cluster/tasks.mjs'), '--nats', processes.nats];
  const launcher = `
    const { spawn } = require('node:child_process');
    const child = spawn('sh', ['-c', '"$0" "$@"; true', process.execPath, ...process.argv.slice(1)], { stdio: 'inherit', env: { ...process.env, npm_command: 'exec' } });
    setInterval(() => {}, 1000);`;
  const args = [...program, '--app', 'npx', '--name', 'N', '--health', `127.0.0.1:${port}`];
  const npx = processes.startNode('-e', launcher, ...args);
  await npx.says(/host N is ready/);
  const closed = new Promise((resolve) => npx.process.once('close', resolve)); // when the host has closed its output, too
  await npx.end('SIGTERM');
  await closed;
  expect(npx.output).toMatch(/host N: has ended/);
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
});
