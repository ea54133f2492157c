/** Hosts, servers and clients that die, freeze or end in the middle of a call. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { WorkerCrashError } from 'furcate';
import { type Cluster, connect } from 'furcate/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entriesIn, Processes, TASKS } from './processes.js';
import { Relay } from './relay.js';
import * as tasks from './tasks.mjs';

/** How long a host may be silent here (milliseconds). */
const LEASE_MS = 1000;

const processes = new Processes();
const clusters: Cluster[] = [];
let apps = 0;

afterAll(async () => {
  await Promise.all(clusters.map((cluster) => cluster.terminate()));
  await processes.end();
});

/** A client of an application of its own, which has no hosts yet. */
async function newCluster(some = processes) {
  const app = `app-${++apps}`;
  const cluster = await connect({ nats: some.nats, app, leaseMs: LEASE_MS });
  clusters.push(cluster);
  return {
    app,
    cluster,
    startHost: (name: string, ...args: readonly string[]) => some.startHost(name, '--app', app, ...args),
  };
}

/** Lets the gated jobs of a folder end. */
const open = (folder: string): void => mkdirSync(join(folder, 'open'));

const gatedItems = (folder: string, count: number): (readonly [string, number])[] =>
  Array.from({ length: count }, (_, k) => [folder, k] as const);

/** How often each gated job has run. */
function runsIn(folder: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of readdirSync(folder)) {
    const key = name.split('-')[0] as string;
    if (key !== 'open') counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

const once = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, k) => [`${k}`, 1]));

beforeAll(() => processes.startServer());

describe('a host', () => {
  test('that is killed loses its job to another when its lease is over', async () => {
    const { cluster, startHost } = await newCluster();
    const folder = processes.newFolder();
    const first = await startHost('A');
    const call = cluster.invoke(tasks.gated, [folder, 0]);
    await entriesIn(folder, '0-', 1);
    await first.end('SIGKILL');
    open(folder);
    await startHost('B');
    expect(await call).toEqual([0, 'B']);
    expect(runsIn(folder)).toEqual({ 0: 2 });
  });

  test('that was frozen for longer than its lease does no harm when it goes on', async () => {
    const { cluster, startHost } = await newCluster();
    const folder = processes.newFolder();
    const frozen = await startHost('A', '--log', 'json');
    const call = cluster.parallelMap(gatedItems(folder, 1), tasks.gated, { run: 'named' }); // nobody reads on when it has ended
    await entriesIn(folder, '0-', 1);
    frozen.process.kill('SIGSTOP');
    const other = await startHost('B');
    await entriesIn(folder, '0-', 2);
    open(folder);
    expect(await call).toEqual([[0, 'B']]);
    await other.end('SIGKILL');
    frozen.process.kill('SIGCONT');
    await frozen.says(/"event":"job-done"/);
    expect((await cluster.stats()).results.count).toBe(0); // it has taken its late result back
    expect(await cluster.invoke(tasks.where, 0)).toBe('A');
  });

  test('keeps its job though a client wants a shorter lease', async () => {
    const { app, cluster, startHost } = await newCluster();
    const folder = processes.newFolder();
    await Promise.all([startHost('A'), startHost('B')]);
    const hasty = await connect({ nats: processes.nats, app, leaseMs: LEASE_MS / 10 });
    clusters.push(hasty);
    await cluster.invoke(tasks.blocks, [folder, 3 * LEASE_MS]);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test('keeps its lease while a job blocks its main thread', async () => {
    const { cluster, startHost } = await newCluster();
    const folder = processes.newFolder();
    await Promise.all([startHost('A'), startHost('B')]);
    await cluster.invoke(tasks.blocks, [folder, 3 * LEASE_MS]);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test('that is told to end finishes what it has, and no job is run twice', async () => {
    const { cluster, startHost } = await newCluster();
    const folder = processes.newFolder();
    const ending = await startHost('A');
    const call = cluster.parallelMap(gatedItems(folder, 6), tasks.gated);
    await entriesIn(folder, '', 2);
    const ended = ending.end('SIGTERM');
    await startHost('B');
    await entriesIn(folder, '', 4); // those that B has taken
    open(folder);
    expect(await ended).toBe(0);
    expect((await call).map(([k]) => k)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(runsIn(folder)).toEqual(once(6));
  });

  test('that is idle ends when it is told to while the server is away', async () => {
    const relay = await Relay.to(processes.nats);
    const host = await processes.startHost('A', '--app', 'away', '--nats', relay.nats);
    relay.end();
    expect(await host.end('SIGTERM')).toBe(0);
  });

  test('that cannot start leaves nothing that keeps its process', async () => {
    const options = { nats: processes.nats, app: 'long', name: 'x'.repeat(300), modules: [`file://${TASKS}`] };
    const program = `import { startHost } from 'furcate/cluster'; await startHost(${JSON.stringify(options)}).catch(() => {});`;
    expect(await processes.startNode('--input-type=module', '-e', program).ended).toBe(0);
  });

  test('takes a path that begins with a drive for a path', async () => {
    const runtime = process.execPath;
    const host = processes.startHostOn({ runtime, module: 'C:/tasks.mjs' }, 'A', '--app', 'drive');
    await expect(host).rejects.toThrow(/furcate: there is no module C:.tasks\.mjs/);
  });

  test('may be a program that is no file', async () => {
    const options = { nats: processes.nats, app: 'text', name: 'A', modules: [`file://${TASKS}`] };
    const program = `import { startHost } from 'furcate/cluster'; await (await startHost(${JSON.stringify(options)})).close();`;
    expect(await processes.startNode('--input-type=module', '-e', program).ended).toBe(0);
  });
});

describe('a job that', () => {
  test('kills its host each time fails when it has cost three', async () => {
    const { cluster, startHost } = await newCluster();
    await Promise.all(['A', 'B', 'C', 'D'].map((name) => startHost(name)));
    const failure = await cluster.invoke(tasks.kills, undefined).catch((error: unknown) => error);
    expect(failure).toSatisfy(WorkerCrashError.is);
    expect((failure as Error).message).toMatch(/a job of host function 'kills' has cost 3 hosts/);
    expect(await cluster.invoke(tasks.square, 2)).toBe(4); // the fourth host lives
  });

  test('ends the worker of its host each time is tried three times', async () => {
    const { cluster, startHost } = await newCluster();
    const folder = processes.newFolder();
    await startHost('A');
    await expect(cluster.invoke(tasks.endsWorker, folder)).rejects.toSatisfy(WorkerCrashError.is);
    expect(readdirSync(folder)).toHaveLength(3);
    expect(await cluster.invoke(tasks.square, 2)).toBe(4);
  });
});

describe('a server', () => {
  test.each([
    ['that is stopped and started again', 'SIGTERM', false],
    ['that is killed and started again', 'SIGKILL', false],
    ['that has lost all that it stored', 'SIGKILL', true],
  ] as const)('%s loses nothing of a call', async (_, signal, isEmptied) => {
    const own = new Processes();
    await own.startServer();
    const { cluster, startHost } = await newCluster(own);
    const folder = own.newFolder();
    await startHost('A');
    const call = cluster.parallelMap(gatedItems(folder, 20), tasks.gated);
    await entriesIn(folder, '', 2);
    await own.endServer(signal);
    open(folder);
    if (isEmptied) own.emptyStore();
    await own.startServer();
    expect(await call).toEqual(Array.from({ length: 20 }, (_, k) => [k, 'A']));
    expect(await cluster.invoke(tasks.square, 2)).toBe(4);
    await cluster.terminate();
    await own.end();
  });
});

describe('a client', () => {
  test('that was killed is followed by one that goes on with the same run', async () => {
    const { app, cluster, startHost } = await newCluster();
    const folder = processes.newFolder();
    const client = processes.startProgram('run-gated.mjs', app, folder, '5');
    await startHost('A');
    await entriesIn(folder, '', 2);
    await client.end('SIGKILL');
    open(folder);
    await entriesIn(folder, '', 6); // the host has gone on without the client
    const results = await cluster.parallelMap(gatedItems(folder, 5), tasks.gated, { run: 'nightly-22' });
    expect(results.map(([k]) => k)).toEqual([0, 1, 2, 3, 4]);
    expect(runsIn(folder)).toEqual(once(5));
  });
});
