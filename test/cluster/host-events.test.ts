/** What a host in this process tells on the channels of `node:diagnostics_channel`. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdirSync } from 'node:fs';
import { connect, type HostEventName, type HostEvents, startHost } from 'furcate/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesIn, Processes, TASKS } from './processes.js';
import * as tasks from './tasks.mjs';

const processes = new Processes();
const options = () => ({ nats: processes.nats, app: 'events' });
const start = () => startHost({ ...options(), name: 'A', modules: [`file://${TASKS}`], pool: { parallelism: 1 } });

beforeAll(() => processes.startServer());
afterAll(() => processes.end());

/** Gathers the events of a name while `body` runs. */
async function events<N extends HostEventName>(name: N, body: () => Promise<unknown>): Promise<HostEvents[N][]> {
  const heard: HostEvents[N][] = [];
  const listener = (event: unknown): void => void heard.push(event as HostEvents[N]);
  subscribe(`furcate:host:${name}`, listener);
  await body();
  unsubscribe(`furcate:host:${name}`, listener);
  return heard;
}

/** Resolves at the next event of a name. */
const next = <N extends HostEventName>(name: N): Promise<HostEvents[N]> =>
  new Promise((resolve) => {
    const listener = (event: unknown): void => {
      unsubscribe(`furcate:host:${name}`, listener);
      resolve(event as HostEvents[N]);
    };
    subscribe(`furcate:host:${name}`, listener);
  });

test('a host tells of its begin, its jobs and its end, with the names of run, call and job', async () => {
  const ended = await events('ended', async () => {
    const [ready] = await events('ready', async () => {
      const host = await start();
      const cluster = await connect(options());
      const of = { host: 'A', app: 'events', run: 'a run', what: "host function 'itself'", delivery: 1 };
      const [begun, done] = [next('job-begun'), next('job-done')];
      await cluster.parallelMap(['x'], tasks.itself, { run: 'a run' });
      expect(await begun).toMatchObject({ ...of, call: 'map', job: expect.stringMatching(/^0-/) });
      expect(await done).toMatchObject({ ...of, call: 'map', ms: expect.any(Number), bytes: expect.any(Number) });
      const failed = next('job-failed');
      await expect(cluster.invoke(tasks.fails, 'no')).rejects.toThrow('no');
      expect(await failed).toMatchObject({ error: 'RangeError: no', what: "host function 'fails'" });
      const abort = new AbortController();
      const folder = processes.newFolder();
      const cancelled = next('job-cancelled');
      const call = cluster.parallelMap([folder], tasks.runsUntilAborted, { signal: abort.signal });
      await entriesIn(folder, 'begun-', 1);
      abort.abort();
      await expect(call).rejects.toThrow();
      expect(await cancelled).toMatchObject({ what: "host function 'runsUntilAborted'", host: 'A' });
      await Promise.all([cluster.close(), host.close()]);
    });
    expect(ready).toMatchObject({ host: 'A', app: 'events', threads: 1, version: '' });
  });
  expect(ended).toEqual([{ host: 'A', app: 'events' }]);
});

const LEASE_MS = 1000;

test('a host tells that the server is gone and back, and which jobs it held without a lease', async () => {
  const host = await startHost({
    nats: processes.nats,
    app: 'outage',
    name: 'B',
    leaseMs: LEASE_MS,
    modules: [`file://${TASKS}`],
    pool: { parallelism: 1 },
  });
  const cluster = await connect({ nats: processes.nats, app: 'outage' });
  const folder = processes.newFolder();
  const call = cluster.parallelMap([[folder, 7] as [string, number]], tasks.gated);
  await entriesIn(folder, '7-', 1);
  expect(await next('leases-renewed')).toEqual({ host: 'B', app: 'outage', jobs: 1 });
  const gone = next('server-gone');
  await processes.endServer();
  expect(await gone).toMatchObject({ host: 'B', error: expect.stringContaining('lost') });
  const back = next('server-back');
  const lost = next('lease-lost');
  await new Promise((resolve) => setTimeout(resolve, LEASE_MS)); // the lease runs out while the server is away
  await processes.startServer();
  await back;
  const { silentMs, what, host: name } = await lost;
  expect({ what, name }).toEqual({ what: "host function 'gated'", name: 'B' });
  expect(silentMs).toBeGreaterThan(LEASE_MS);
  mkdirSync(`${folder}/open`);
  expect(await call).toEqual([[7, 'B']]);
  await cluster.close();
  await host.close();
});
