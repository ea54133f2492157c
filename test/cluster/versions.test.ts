/** Programs of several versions at the same time, as while hosts are upgraded. */
import { type Cluster, connect } from 'furcate/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entriesIn, Processes } from './processes.js';
import * as tasks from './tasks.mjs';

const processes = new Processes();
const clusters: Cluster[] = [];

async function client(version?: string): Promise<Cluster> {
  const cluster = await connect({ nats: processes.nats, ...(version === undefined ? {} : { version }) });
  clusters.push(cluster);
  return cluster;
}

beforeAll(() => processes.startServer());
afterAll(async () => {
  await Promise.all(clusters.map((cluster) => cluster.terminate()));
  await processes.end();
});

describe('two versions at once', () => {
  test('each host runs the jobs of its version, also those that name a host of another', async () => {
    await Promise.all([processes.startHost('A', '--app-version', '1'), processes.startHost('B', '--app-version', '2')]);
    const [one, two] = [await client('1'), await client('2')];
    const items = Array.from({ length: 20 }, () => 1);
    expect(new Set(await one.parallelMap(items, tasks.where))).toEqual(new Set(['A']));
    expect(new Set(await two.parallelMap(items, tasks.where))).toEqual(new Set(['B']));
    expect(await one.parallelMap([1, 1], tasks.where, { at: () => 'B' })).toEqual(['A', 'A']);
    const { hosts } = await one.stats();
    expect(hosts.map(({ name, version }) => [name, version])).toEqual([
      ['A', '1'],
      ['B', '2'],
    ]);
  });

  test('jobs of a version that no host has wait for one', async () => {
    const three = await client('3');
    const folder = processes.newFolder();
    const call = three.parallelMap([[folder, 1] as [string, number]], tasks.counted);
    const none = await client();
    const free = none.parallelMap([3], tasks.itself);
    await processes.startHost('C', '--app-version', '3');
    expect(await call).toEqual([1]);
    await processes.startHost('D');
    expect(await free).toEqual([3]);
  });

  test('hosts are replaced one by one without a call that fails', async () => {
    const [old, next] = [await client('old'), await client('next')];
    const hosts = [await processes.startHost('O1', '--app-version', 'old')];
    const folder = processes.newFolder();
    const count = 12;
    const items = Array.from({ length: count }, (_, k): [string, number] => [folder, k]);
    const squares = items.map(([, k]) => k * k);
    const slow = old.parallelMap(items, tasks.countedSlowly);
    await entriesIn(folder, '', 2);
    hosts.push(await processes.startHost('N1', '--app-version', 'next'));
    const fresh = next.parallelMap(items, tasks.countedSlowly);
    hosts.push(await processes.startHost('O2', '--app-version', 'old'));
    expect(await hosts[0]?.end('SIGTERM')).toBe(0);
    expect(await slow).toEqual(squares);
    expect(await fresh).toEqual(squares);
  });
});
