/** What limits calls and their jobs: options of `invoke`, the time of a job, the jobs of a client, the life of a client. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect as connectToNats } from '@nats-io/transport-node';
import { CancellationError } from 'furcate';
import { type Cluster, type ClusterOptions, connect } from 'furcate/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesIn, Processes } from './processes.js';
import * as tasks from './tasks.mjs';

const processes = new Processes();
const clusters: Cluster[] = [];
let apps = 0;

beforeAll(() => processes.startServer());
afterAll(async () => {
  await Promise.all(clusters.map((cluster) => cluster.terminate()));
  await processes.end();
});

/** A client of a new application. */
async function newCluster(options: Partial<ClusterOptions> = {}) {
  const app = `app-${apps++}`;
  const cluster = await connect({ nats: processes.nats, app, ...options });
  clusters.push(cluster);
  return { app, cluster };
}

test('invoke of a host function takes options, as of a task', async () => {
  const { app, cluster } = await newCluster();
  await processes.startHost('A', '--app', app);
  const folder = processes.newFolder();
  const controller = new AbortController();
  const call = cluster.invoke(tasks.runsUntilAborted, folder, { signal: controller.signal });
  await entriesIn(folder, 'begun-', 1);
  controller.abort(new RangeError('enough'));
  await expect(call).rejects.toSatisfy(CancellationError.is);
  await entriesIn(folder, 'aborted-', 1);
  await expect(cluster.invoke(tasks.runsUntilAborted, folder, { timeoutMs: 1 })).rejects.toThrow(/timeoutMs/);
  expect(await cluster.invoke(tasks.itself, 5, { run: 'named', at: () => 'A' })).toBe(5);
  const wrong = { timeout: 5 } as object;
  await expect(cluster.invoke(tasks.itself, 5, wrong)).rejects.toThrow(
    /cluster\.invoke\(fn, argument, options\) has no/,
  );
});

test('a job that runs for longer than it may is aborted, and its call fails with an error that says so', async () => {
  const { app, cluster } = await newCluster();
  const host = await processes.startHost('A', '--app', app);
  const folder = processes.newFolder();
  const late = cluster.invoke(tasks.runsUntilAborted, folder, { jobTimeoutMs: 100 });
  await expect(late).rejects.toThrow(/furcate: a job of host function 'runsUntilAborted' ran for longer than 100 ms/);
  await expect(late).rejects.toMatchObject({ reason: 'timeout' });
  await entriesIn(folder, 'aborted-', 1);
  expect(await cluster.invoke(tasks.itself, 1, { jobTimeoutMs: 60_000 })).toBe(1);
  await host.end('SIGTERM'); // with all that it has to say of its jobs
  expect(await cluster.stats()).toMatchObject({ inFlight: 0, queued: 0 });
  await expect(cluster.invoke(tasks.itself, 1, { jobTimeoutMs: 0 })).rejects.toThrow(/options\.jobTimeoutMs must be/);
});

test('a host allows jobs less time than their calls, where it is started so', async () => {
  const { app, cluster } = await newCluster();
  await processes.startHost('A', '--app', app, '--job-timeout', '0.1');
  const folder = processes.newFolder();
  const late = cluster.invoke(tasks.runsUntilAborted, folder, { jobTimeoutMs: 60_000 });
  await expect(late).rejects.toThrow(/ran for longer than 100 ms/);
});

test('a client has no more jobs at the server than it may, and all are done in the end', async () => {
  const { app, cluster } = await newCluster({ maxQueued: 3 });
  const folder = processes.newFolder();
  const items = Array.from({ length: 10 }, (_, k): [string, number] => [folder, k]);
  const call = cluster.parallelMap(items, tasks.gated);
  const cancelled = new AbortController();
  const other = cluster.parallelMap(items, tasks.gated, { signal: cancelled.signal });
  await processes.startHost('A', '--app', app);
  await entriesIn(folder, '', 2);
  const { queued, inFlight } = await cluster.stats();
  expect(queued + inFlight).toBe(3);
  cancelled.abort();
  await expect(other).rejects.toThrow();
  mkdirSync(join(folder, 'open'));
  expect((await call).map(([k]) => k)).toEqual(items.map(([, k]) => k));
  expect(await cluster.parallelMap([1, 2, 3, 4], tasks.itself)).toEqual([1, 2, 3, 4]);
});

test('the run of a client that has died without an id is ended by a host, and that of one that lives goes on', async () => {
  const app = `app-${apps++}`;
  const host = await processes.startHost('A', '--app', app, '--lease', '300');
  const folder = processes.newFolder();
  const dying = processes.startProgram('run-gated.mjs', app, folder, '20', '');
  await entriesIn(folder, '', 2); // the host has some of its jobs
  const cluster = await connect({ nats: processes.nats, app });
  clusters.push(cluster);
  const own = cluster.parallelMap([1, 2, 3], tasks.itself);
  own.catch(() => {});
  let runs = await cluster.runs();
  while (runs.length < 2) runs = await cluster.runs(); // the own jobs are on their way
  expect(runs.map(({ hasClient }) => hasClient)).toEqual([true, true]);
  const listener = await connectToNats({ servers: processes.nats });
  for await (const _ of listener.subscribe(`furcate.${app}.client.*`, { max: 1 })); // a host has seen that the client lives
  await listener.close();
  await dying.end();
  await host.says(/the client of run ~[0-9a-f-]+ is gone: its 20 jobs are deleted/);
  expect(await own).toEqual([1, 2, 3]);
  expect(await cluster.runs()).toEqual([]);
});
