/** Messages that arrive late, or after what they concern has ended. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectToNats } from '@nats-io/transport-node';
import { RejectedExecutionError } from 'furcate';
import { type Cluster, connect } from 'furcate/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesIn, Processes } from './processes.js';
import { Relay } from './relay.js';
import * as tasks from './tasks.mjs';

/** Less than the time after which a call looks whether the server has its jobs (milliseconds). */
const SOON_MS = 20_000;
/** The server's answer to a job, which it stores or has already. */
const JOB_IS_STORED = /"stream":"furcate-late-\d+-jobs",/g;
const RESULT_IS_STORED = /"stream":"furcate-late-\d+-results",/;
const LARGE = 5 * 2 ** 20;

const processes = new Processes();
const relays: Relay[] = [];
const clusters: Cluster[] = [];
let apps = 0;

beforeAll(() => processes.startServer());

afterAll(async () => {
  for (const relay of relays) relay.toServer.letGo();
  for (const relay of relays) relay.fromServer.letGo();
  await Promise.all(clusters.map((cluster) => cluster.terminate()));
  for (const relay of relays) relay.end();
  await processes.end();
});

async function newRelay(): Promise<Relay> {
  const relay = await Relay.to(processes.nats);
  relays.push(relay);
  return relay;
}

/** A client of an application of its own, behind a relay, and a way to start a host behind another. */
async function newCluster(options: { version?: string } = {}) {
  const app = `late-${++apps}`;
  const [near, far] = [await newRelay(), await newRelay()];
  const cluster = await connect({ nats: near.nats, app, ...options });
  clusters.push(cluster);
  return { app, cluster, near, far, startHost: () => processes.startHost('A', '--app', app, '--nats', far.nats) };
}

test.concurrent('a call is run that follows one with the same run id and work, whose job is not acknowledged yet', async () => {
  const { cluster, near, far, startHost } = await newCluster();
  await startHost();
  far.toServer.holdFrom(/\+ACK/);
  expect(await cluster.parallelMap([2], tasks.square, { run: 'again' })).toEqual([4]);
  const again = cluster.parallelMap([2], tasks.square, { run: 'again', timeoutMs: SOON_MS });
  await near.fromServer.has(JOB_IS_STORED, 2); // the server has answered to both jobs
  far.toServer.letGo();
  expect(await again).toEqual([4]);
});

test.concurrent('a host that is cancelled while it stores a large result publishes none', async () => {
  const { cluster, far, startHost } = await newCluster();
  await startHost();
  const controller = new AbortController();
  far.toServer.holdFrom(/HPUB furcate\.late-\d+\.result\./);
  const call = cluster.parallelMap([4 * LARGE], tasks.textOf, { run: 'large', signal: controller.signal });
  call.catch(() => {});
  await far.toServer.has(/HPUB furcate\.late-\d+\.result\./g);
  controller.abort();
  await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  await far.fromServer.has(/MSG furcate\.late-\d+\.cancel\./g);
  far.toServer.letGo();
  await far.toServer.has(/\+ACK|\+TERM/g);
  const [text] = await cluster.parallelMap([4 * LARGE], tasks.textOf, { run: 'large' });
  expect(text).toHaveLength(4 * LARGE);
});

test.concurrent('a large job is run though the answer to its first message comes after the second', async () => {
  const { cluster, near, startHost } = await newCluster();
  const message = /HPUB furcate\.late-\d+\.job\./g;
  const call = cluster.invoke(tasks.itself, 'x'.repeat(LARGE));
  call.catch(() => {});
  await near.toServer.has(message).then(() => near.fromServer.hold());
  await near.toServer.has(message, 2);
  near.fromServer.letGo();
  await startHost();
  expect(await call).toHaveLength(LARGE);
});

test.concurrent('a job that a dead client of another version has left does not fail a run of this version', async () => {
  const { app, cluster, near } = await newCluster({ version: '1' });
  cluster.parallelMap([2], tasks.square, { run: 'versions' }).catch(() => {});
  await near.fromServer.has(JOB_IS_STORED);
  near.end();
  const newer = await connect({ nats: processes.nats, app, version: '2' });
  clusters.push(newer);
  const call = newer.parallelMap([2], tasks.square, { run: 'versions' });
  await processes.startHost('A', '--app', app, '--app-version', '2');
  expect(await call).toEqual([4]);
});

test.concurrent('a job that a dead client has left at a place is not run a second time at another', async () => {
  const { app, cluster, near } = await newCluster();
  const folder = processes.newFolder();
  cluster.parallelMap([[folder, 0] as const], tasks.gated, { run: 'places', at: () => 'A' }).catch(() => {});
  await near.fromServer.has(JOB_IS_STORED);
  near.end();
  const next = await connect({ nats: processes.nats, app });
  clusters.push(next);
  const call = next.parallelMap([[folder, 0] as const], tasks.gated, { run: 'places' });
  await processes.startHost('A', '--app', app);
  await entriesIn(folder, '0-', 1);
  mkdirSync(join(folder, 'open'));
  expect(await call).toEqual([[0, 'A']]);
  expect(readdirSync(folder)).toHaveLength(2);
});

/** What the tools of NATS see. */
async function managing<T>(use: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>): Promise<T> {
  const connection = await connectToNats({ servers: processes.nats });
  const result = await use(await jetstreamManager(connection));
  await connection.close();
  return result;
}

test.concurrent('a call does not lose its results to the end of one with the same run id that could not begin', async () => {
  const { app, cluster, near, startHost } = await newCluster();
  await startHost();
  const stream = `furcate-${app}-results`;
  const { config } = await managing((manager) => manager.streams.info(stream));
  await managing((manager) => manager.streams.delete(stream));
  near.toServer.holdFrom(/STREAM\.PURGE\.furcate-late-\d+-results/);
  await expect(cluster.parallelMap([2], tasks.square, { run: 'lost' })).rejects.toThrow(/stream not found/);
  await managing((manager) => manager.streams.add(config));
  const next = cluster.parallelMap([2], tasks.square, { run: 'lost', timeoutMs: SOON_MS });
  near.toServer.letGo();
  expect(await next).toEqual([4]);
});

test.concurrent('a run leaves no consumer at the server when its calls have ended', async () => {
  const { app, cluster, startHost } = await newCluster();
  await startHost();
  for (const run of ['one', 'two']) await cluster.parallelMap([2], tasks.square, { run });
  await cluster.close();
  const consumers = await managing((manager) => manager.consumers.list(`furcate-${app}-results`).next());
  expect(consumers).toEqual([]);
});

/** Resolves when the stream of results is empty. */
const hasNoResults = (app: string): Promise<void> =>
  managing(async (manager) => {
    while ((await manager.streams.info(`furcate-${app}-results`)).state.messages > 0);
  });

/** A host that does not doubt its leases, and the answer of the server to its first result is held. */
async function unansweredHost() {
  const { app, cluster, near, far } = await newCluster();
  await processes.startHost('A', '--app', app, '--nats', far.nats, '--lease', '600000');
  far.fromServer.holdFrom(RESULT_IS_STORED);
  const published = (count: number): Promise<void> => far.toServer.has(/HPUB furcate\.late-\d+\.result\./g, count);
  return { app, cluster, near, far, published };
}

test.concurrent('a result that a host publishes again after its call has ended, for want of an answer, is taken back', async () => {
  const { app, cluster, far, published } = await unansweredHost();
  expect(await cluster.parallelMap([2], tasks.square, { run: 'ended' })).toEqual([4]);
  await hasNoResults(app);
  await published(2);
  far.fromServer.letGo();
  await far.toServer.has(/\+ACK/g);
  await hasNoResults(app);
});

test.concurrent('a result is taken back whose number its host does not know, since the answer to it was lost', async () => {
  const { app, cluster, far, near, published } = await unansweredHost();
  near.fromServer.holdFrom(/MSG furcate\.late-\d+\.result\./); // the client does not see it, and deletes nothing
  cluster.parallelMap([2], tasks.square, { run: 'lost' }).catch(() => {});
  await published(2);
  await managing((manager) => manager.streams.purge(`furcate-${app}-jobs`)); // as the end of the call does
  far.fromServer.letGo();
  await far.toServer.has(/\+ACK/g);
  await hasNoResults(app);
});

test.concurrent('a second call at a time with the same run id is rejected, and the first one goes on', async () => {
  const { cluster, startHost } = await newCluster();
  const first = cluster.parallelMap([2], tasks.square, { run: 'twice' });
  const second = cluster.parallelMap([3], tasks.square, { run: 'twice' });
  await expect(second).rejects.toSatisfy(RejectedExecutionError.is);
  await expect(second).rejects.toThrow(/another call of this cluster uses options\.run = 'twice'/);
  await startHost();
  expect(await first).toEqual([4]);
});

test.concurrent('a cluster that is being terminated takes no more calls', async () => {
  const { cluster } = await newCluster();
  const ended = cluster.terminate();
  await expect(cluster.invoke(tasks.square, 2)).rejects.toSatisfy(RejectedExecutionError.is);
  await ended;
});

test.concurrent('a cluster is terminated while the server is away, with calls that have not begun', async () => {
  const { cluster, near } = await newCluster();
  near.end();
  const call = cluster.invoke(tasks.square, 2);
  call.catch(() => {});
  await cluster.terminate();
  await expect(call).rejects.toMatchObject({ reason: 'terminate' });
});

test.concurrent('clients and hosts go on after the server has refused their password for a while', async () => {
  const own = new Processes();
  const configOf = (password: string) => ({
    config: `authorization { user: some, password: '${password}' }`,
  });
  await own.startServer(configOf('right'));
  const nats = { servers: own.nats, user: 'some', pass: 'right' };
  const file = join(own.folder, 'host.json');
  writeFileSync(file, JSON.stringify(nats));
  await own.startHost('A', '--nats-options', file);
  const cluster = await connect({ nats });
  expect(await cluster.invoke(tasks.square, 2)).toBe(4);
  await own.endServer();
  await own.startServer(configOf('other'));
  await own.serverSays(/(authentication error[\s\S]*){9}/); // two of each connection are what ends it by default
  await own.endServer();
  await own.startServer(configOf('right'));
  expect(await cluster.invoke(tasks.square, 3)).toBe(9);
  await cluster.close();
  await own.end();
});
