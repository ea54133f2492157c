/** A server that is away, comes back without what it had, or with what it had deleted. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectToNats } from '@nats-io/transport-node';
import { CancellationError } from 'furcate';
import { type Cluster, connect } from 'furcate/cluster';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { entriesIn, Processes } from './processes.js';
import * as tasks from './tasks.mjs';

const LEASE_MS = 500;

/** Hosts outlive all outages of this file: each test has a client of its own. */
const processes = new Processes();
let cluster: Cluster;

beforeAll(async () => {
  await processes.startServer();
  await Promise.all(['A', 'B'].map((name) => processes.startHost(name, '--lease', `${LEASE_MS}`)));
});
afterAll(() => processes.end());

beforeEach(async () => {
  cluster = await connect({ nats: processes.nats });
});
afterEach(() => cluster.terminate());

/** Resolves when the server has no message of the application. */
async function isClean(): Promise<void> {
  for (;;) {
    const { queued, inFlight, results } = await cluster.stats();
    if (queued + inFlight + results.count === 0) return;
  }
}

const restart = async (): Promise<void> => {
  await processes.endServer('SIGKILL');
  await processes.startServer();
};

describe('a server', () => {
  test('that loses its store in the middle of a call keeps the call from nothing', async () => {
    const folder = processes.newFolder();
    const [first, second] = [1, 2].map((k) => [folder, k] as const);
    let done = 0;
    const call = cluster.parallelMap([first, second], tasks.gated, {
      onProgress: (count) => {
        done = count;
      },
    });
    await entriesIn(folder, '1-', 1);
    await entriesIn(folder, '2-', 1);
    expect(await cluster.parallelMap([1, 2, 3], tasks.square)).toEqual([1, 4, 9]); // numbers of the stream that is lost
    await processes.endServer('SIGKILL');
    processes.emptyStore();
    mkdirSync(join(folder, 'open')); // hosts publish as soon as they can
    await processes.startServer();
    const names = (await call).map(([k]) => k);
    expect(names).toEqual([1, 2]);
    expect(done).toBe(2);
    await isClean();
  });

  test('that is away while a call is aborted runs none of its jobs later', async () => {
    const folder = processes.newFolder();
    const abort = new AbortController();
    const items = Array.from({ length: 12 }, (_, k) => [folder, k] as const);
    const call = cluster.parallelMap(items, tasks.gated, { signal: abort.signal });
    await entriesIn(folder, '0-', 1);
    await processes.endServer('SIGKILL');
    abort.abort();
    await expect(call).rejects.toSatisfy(CancellationError.is);
    await processes.startServer();
    await isClean();
    expect(await cluster.parallelMap([5], tasks.square)).toEqual([25]);
  });

  test('that is frozen while a call is aborted keeps no job of it that was on its way', async () => {
    const folder = processes.newFolder();
    const controller = new AbortController();
    const { signal } = controller;
    const call = cluster.parallelMap(new Array<string>(3000).fill(folder), tasks.runsUntilAborted, {
      run: 'on',
      signal,
    });
    await entriesIn(folder, 'begun-', 1);
    process.kill(processes.serverPid, 'SIGSTOP');
    controller.abort();
    await expect(call).rejects.toSatisfy(CancellationError.is); // it waits for the server for a second
    process.kill(processes.serverPid, 'SIGCONT');
    await isClean();
    expect(await cluster.parallelMap([2, 3], tasks.square)).toEqual([4, 9]);
    await isClean();
  });

  test('that is killed when a call ends gives the next call of this run id nothing of it', async () => {
    const folder = processes.newFolder();
    const items = Array.from({ length: 8 }, (_, k) => [folder, k] as const);
    mkdirSync(join(folder, 'open'));
    let killed: Promise<void> | undefined;
    await cluster.parallelMap(items, tasks.gated, {
      run: 'nightly',
      onProgress: (done, total) => {
        if (done === total) killed = processes.endServer('SIGKILL');
      },
    });
    await killed;
    await processes.startServer();
    await cluster.parallelMap(items, tasks.gated, { run: 'nightly' });
    expect(readdirSync(folder).filter((name) => name.startsWith('0-'))).toHaveLength(2); // it was run again
    await isClean();
  });

  test('that has lost the numbers of its stream, but not those of its consumers, delivers the jobs of the next call', async () => {
    const many = Array.from({ length: 200 }, (_, k) => k);
    expect(await cluster.parallelMap(many, tasks.square)).toEqual(many.map((k) => k * k));
    await isClean();
    await processes.endServer('SIGKILL');
    processes.emptyStreamOfJobs();
    await processes.startServer();
    await isServed();
    const nats = await connectToNats({ servers: processes.nats });
    const manager = await jetstreamManager(nats);
    const { delivered } = await manager.consumers.info('furcate-default-jobs', 'hosts');
    const { state } = await manager.streams.info('furcate-default-jobs');
    await nats.close();
    expect([delivered.stream_seq, state.last_seq].map((seq) => seq < many.length)).toEqual([true, true]);
    expect(delivered.stream_seq).toBeLessThanOrEqual(state.last_seq);
  });

  test('that is away for longer than the lease, again and again, costs no host', async () => {
    const folder = processes.newFolder();
    const call = cluster.parallelMap([[folder, 0] as const], tasks.gated);
    await entriesIn(folder, '0-', 1);
    for (let outage = 0; outage < 4; outage++) {
      await processes.endServer('SIGKILL');
      await entriesLater(LEASE_MS);
      await processes.startServer();
      await isServed();
    }
    mkdirSync(join(folder, 'open'));
    const [[number, host] = []] = await call;
    expect([number, 'AB'.includes(host as string)]).toEqual([0, true]);
    await isClean();
  });
});

test('a call that an outage has interrupted tells hosts of its end, since the server may have given a job to two of them', async () => {
  const folder = processes.newFolder();
  const call = cluster.parallelMap([[folder, 0] as const], tasks.gated, { run: 'named' });
  await entriesIn(folder, '0-', 1);
  await restart();
  const nats = await connectToNats({ servers: processes.nats });
  const ends = nats.subscribe('furcate.default.cancel.named.map', { max: 1 });
  await isServed();
  await nats.flush();
  mkdirSync(join(folder, 'open'));
  await call;
  for await (const { subject } of ends) expect(subject).toBe('furcate.default.cancel.named.map');
  await nats.close();
  await isClean();
});

test('streams that somebody deletes while the server is there are made again, and calls go on', async () => {
  const folder = processes.newFolder();
  const call = cluster.parallelMap([[folder, 0] as const], tasks.gated);
  await entriesIn(folder, '0-', 1);
  const nats = await connectToNats({ servers: processes.nats });
  const manager = await jetstreamManager(nats);
  for (const stream of ['jobs', 'results']) await manager.streams.delete(`furcate-default-${stream}`);
  await nats.close();
  mkdirSync(join(folder, 'open'));
  expect(await call).toEqual([[0, expect.stringMatching(/^[AB]$/)]]);
  expect(await cluster.parallelMap([1, 2], tasks.square, { run: 'named' })).toEqual([1, 4]);
  await isClean();
});

/** Resolves when both hosts answer, and the server has delivered again what it believes to be lost. */
async function isServed(): Promise<void> {
  while ((await cluster.stats()).hosts.length < 2);
  expect(await cluster.parallelMap([1, 2, 3, 4], tasks.square)).toEqual([1, 4, 9, 16]);
}

/** Resolves when a lease is over: the outage must be longer than that. */
const entriesLater = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('a client of a run whose host comes back gets each result once', async () => {
  await restart();
  expect(await cluster.parallelMap([1, 2], tasks.square, { run: 'r' })).toEqual([1, 4]);
  await restart();
  expect(await cluster.parallelMap([1, 2], tasks.square, { run: 'r' })).toEqual([1, 4]);
  await isClean();
});
