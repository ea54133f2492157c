/** A host that lives works: one that cannot ends itself, and says so; and a host whose main thread is blocked says that. */
import { type Cluster, connect } from 'furcate/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesIn, freePort, Processes } from './processes.js';
import * as tasks from './tasks.mjs';

const LEASE = ['--lease', '300'];

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

test('a host that hears nothing of a connection that is up ends itself, says so, and its jobs go to others', async () => {
  const cluster = await client('deaf');
  const host = await processes.startHost('A', '--app', 'deaf', ...LEASE);
  const call = cluster.invoke(tasks.deafens, undefined);
  await host.says(/furcate: the host hears nothing of the server although its connection is up\. The host ends\./);
  await processes.startHost('B', '--app', 'deaf', ...LEASE);
  expect(await host.ended).toBe(1);
  expect(await cluster.invoke(tasks.itself, 1)).toBe(1);
  call.catch(() => {});
});

test('a host whose main thread stands still for longer than a job may block it ends itself, and says so', async () => {
  const cluster = await client('blocked');
  const folder = processes.newFolder();
  const start = (name: string, ...args: readonly string[]) =>
    processes.startHost(name, '--app', 'blocked', ...LEASE, ...args);
  const host = await start('A', '--block-timeout', '0.5');
  const call = cluster.invoke(tasks.blocks, [folder, 3000]);
  await host.says(
    /furcate: host 'A': its main thread has stood still for [\d.]+ s, longer than a job may block it, so the host ends\. Its jobs: host function 'blocks'\./,
  );
  await start('B'); // where it may
  await call;
  await entriesIn(folder, 'run-', 2);

  const own = ['--nats', processes.nats, '--app', 'json', '--log', 'json', '--job-timeout', '0.1'];
  const inJson = processes.startHostProgram({}, 'C', ...own, ...LEASE);
  await inJson.says(/"ready"/);
  const other = (await client('json')).invoke(tasks.blocks, [folder, 60_000]);
  other.catch(() => {});
  expect(await inJson.ended).toBe(null);
  const lines = inJson.output.trim().split('\n');
  const last = JSON.parse(lines.at(-1) as string) as Record<string, unknown>;
  expect(last).toMatchObject({ level: 'error', event: 'failed', error: expect.stringContaining("host 'C': its main") });
});

test('probes and statistics tell of a main thread that is blocked, while it is', async () => {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const cluster = await client('probed');
  const args = ['--app', 'probed', '--health', address, '--metrics', address];
  await processes.startHost('A', ...args);
  const folder = processes.newFolder();
  const call = cluster.invoke(tasks.blocks, [folder, 4000]);
  await entriesIn(folder, 'run-', 1);
  const probe = async (path: string) => {
    const response = await fetch(`http://${address}${path}`);
    return { status: response.status, ...((await response.json()) as { state: string; blockedMs: number }) };
  };
  let health = await probe('/healthz');
  while (health.state !== 'blocked') health = await probe('/healthz');
  expect(health).toMatchObject({ status: 200, host: 'A', jobs: 1 });
  expect(await probe('/readyz')).toMatchObject({ status: 503, state: 'blocked' });
  const { hosts } = await cluster.stats();
  expect(hosts).toMatchObject([{ name: 'A', jobs: 1 }]);
  expect(hosts[0]?.blockedMs).toBeGreaterThan(500);
  await call;
  while (health.state !== 'ready') health = await probe('/healthz');
  expect(await probe('/readyz')).toMatchObject({ status: 200, blockedMs: 0 });
  while ((await cluster.stats()).hosts[0]?.blockedMs !== 0); // its other thread sees it within a moment
  expect((await fetch(`http://${address}/metrics`)).status).toBe(200);
});
