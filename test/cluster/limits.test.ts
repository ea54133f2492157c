/** What limits calls and their jobs: options of `invoke`, the time of a job, the jobs of a client, the life of a client. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect as connectToNats } from '@nats-io/transport-node';
import { CancellationError } from 'furcate';
import { type Cluster, type ClusterOptions, connect } from 'furcate/cluster';
import { limit } from 'furcate/flows';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STEP_HANG_MS } from '../helpers/limits.js';
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

test('a call waits for the permits of its limit before it queues anything, and gives them back however it ends', async () => {
  const { app, cluster } = await newCluster();
  const folder = processes.newFolder();
  const one = limit(1);
  const options = { limit: one };
  const first = cluster.invoke(tasks.gated, [folder, 0] as const, options);
  const second = cluster.parallelMap([1, 2], tasks.itself, options);
  const aborted = new AbortController();
  const third = cluster.invoke(tasks.itself, 3, { ...options, signal: aborted.signal });
  expect([one.inUse, one.waiting]).toEqual([1, 2]);
  aborted.abort();
  await expect(third).rejects.toSatisfy(CancellationError.is);
  await processes.startHost('A', '--app', app);
  await entriesIn(folder, '0-', 1);
  expect([one.inUse, one.waiting, (await cluster.stats()).queued]).toEqual([1, 1, 0]);
  mkdirSync(join(folder, 'open'));
  await first;
  expect(await second).toEqual([1, 2]);
  const cancelled = cluster.invoke(tasks.runsUntilAborted, folder, { ...options, timeoutMs: 1 });
  await expect(cancelled).rejects.toSatisfy(CancellationError.is);
  expect([one.inUse, one.waiting]).toEqual([0, 0]);
  expect(await cluster.invoke(tasks.itself, 4, { limit: [] })).toBe(4);
  await expect(cluster.invoke(tasks.itself, 5, { limit: 1 as never })).rejects.toThrow(
    /cluster\.invoke\(fn, argument, options\): options\.limit must be what limit\(\)/,
  );
});

test('a client that is closed runs the calls that wait for permits; one that is terminated rejects them', async () => {
  const { app, cluster } = await newCluster();
  await processes.startHost('A', '--app', app);
  const folder = processes.newFolder();
  const options = { limit: limit(1) };
  const first = cluster.invoke(tasks.gated, [folder, 0] as const, options);
  const second = cluster.invoke(tasks.itself, 2, options);
  const closed = cluster.close();
  mkdirSync(join(folder, 'open'));
  expect([await first, await second, await closed].slice(1)).toEqual([2, undefined]);
  const other = await connect({ nats: processes.nats, app });
  const calls = [1, 2].map((k) => other.invoke(tasks.gated, [processes.newFolder(), k] as const, options));
  const ends = Promise.allSettled(calls);
  await other.terminate();
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(options.limit.inUse).toBe(0);
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
  await expect.poll(() => cluster.runs(), { timeout: STEP_HANG_MS }).toEqual([]); // what is left of a call is deleted behind its end
});
