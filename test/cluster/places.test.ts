/** Jobs that should run on a certain host, and what a client can tell of its application. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Cluster, connect } from 'furcate/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entriesIn, Processes } from './processes.js';
import * as tasks from './tasks.mjs';

const LEASE_MS = 1000;

const processes = new Processes();
const clusters: Cluster[] = [];
let apps = 0;

beforeAll(() => processes.startServer());

afterAll(async () => {
  await Promise.all(clusters.map((cluster) => cluster.terminate()));
  await processes.end();
});

async function newCluster(...names: readonly string[]) {
  const app = `place-${++apps}`;
  const cluster = await connect({ nats: processes.nats, app, leaseMs: LEASE_MS });
  clusters.push(cluster);
  const hosts = await Promise.all(names.map((name) => processes.startHost(name, '--app', app)));
  return { cluster, hosts };
}

const gatedItems = (folder: string, count: number): (readonly [string, number])[] =>
  Array.from({ length: count }, (_, k) => [folder, k] as const);

describe.concurrent('a job with a place', () => {
  test('runs on the host of that name while it has nothing else to do', async () => {
    const { cluster } = await newCluster('host.A', 'host B');
    const wanted = ['host.A', 'host B', 'host B', 'host.A'];
    const got: string[] = [];
    for (const host of wanted) got.push(...(await cluster.parallelMap([0], tasks.where, { at: () => host })));
    expect(got).toEqual(wanted);
  });

  test('is taken by another host when that one is busy', async () => {
    const { cluster } = await newCluster('A', 'B');
    const folder = processes.newFolder();
    const call = cluster.parallelMap(gatedItems(folder, 8), tasks.gated, { at: () => 'A' });
    await entriesIn(folder, '', 3); // a host takes two jobs at most
    mkdirSync(join(folder, 'open'));
    const results = await call;
    expect(results.map(([k]) => k)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(new Set(results.map(([, host]) => host))).toEqual(new Set(['A', 'B']));
  });

  test('is taken by another host when there is none of that name', async () => {
    const { cluster } = await newCluster('A');
    expect(await cluster.parallelMap([0, 0, 0], tasks.where, { at: () => 'nowhere' })).toEqual(['A', 'A', 'A']);
  });

  test('is taken by another host when that one has died with it', async () => {
    const { cluster, hosts } = await newCluster('A', 'B');
    const folder = processes.newFolder();
    const call = cluster.parallelMap(gatedItems(folder, 1), tasks.gated, { at: () => 'A' });
    await entriesIn(folder, '0-', 1);
    await hosts[0]?.end('SIGKILL');
    mkdirSync(join(folder, 'open'));
    expect(await call).toEqual([[0, 'B']]);
  });

  test('may be a part of a task', async () => {
    const { cluster } = await newCluster('A');
    const at = ({ lo }: tasks.Fractions): string | undefined => (lo < 500 ? 'A' : undefined);
    expect(await cluster.invoke(new tasks.Fractions(0, 1000, ''), { at })).toBeGreaterThan(7);
  });

  test('is cancelled as any other', async () => {
    const { cluster } = await newCluster('A');
    const folder = processes.newFolder();
    const controller = new AbortController();
    const items = new Array<string>(20).fill(folder);
    const call = cluster.parallelMap(items, tasks.runsUntilAborted, { at: () => 'A', signal: controller.signal });
    call.catch(() => {});
    await entriesIn(folder, 'begun', 1);
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    await entriesIn(folder, 'aborted', 1);
    expect((await cluster.stats()).queued).toBe(0);
  });

  test('is refused when the place is not a name', async () => {
    const { cluster } = await newCluster();
    const wrong = cluster.parallelMap([1], tasks.square, { at: () => 7 as never });
    await expect(wrong).rejects.toThrow(/options\.at must return the name of a host, .*it returned 7/);
    await expect(cluster.parallelMap([1], tasks.square, { at: 'A' as never })).rejects.toThrow(
      /options\.at must be a function; it was 'A'/,
    );
  });
});

test.concurrent('stats tell the hosts, and what waits, runs and is kept', async () => {
  const { cluster, hosts } = await newCluster('B', 'A');
  const none = { queued: 0, inFlight: 0, results: { count: 0, bytes: 0 } };
  const idle = ['A', 'B'].map((name) => ({ name, threads: 1, version: '', jobs: 0, blockedMs: 0 }));
  expect(await cluster.stats()).toEqual({ hosts: idle, ...none });
  const folder = processes.newFolder();
  const call = cluster.parallelMap(gatedItems(folder, 10), tasks.gated);
  await entriesIn(folder, '', 4); // each host has two
  const busy = await cluster.stats();
  expect(busy.hosts).toEqual(['A', 'B'].map((name) => ({ name, threads: 1, version: '', jobs: 2, blockedMs: 0 })));
  expect(busy).toMatchObject({ queued: 6, inFlight: 4 });
  mkdirSync(join(folder, 'open'));
  await call;
  await hosts[0]?.end('SIGTERM');
  expect((await cluster.stats()).hosts).toEqual([idle[0]]);
});
