/** Hosts that go on taking jobs, or end and say why. */
import { type Cluster, connect } from 'furcate/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesIn, Processes } from './processes.js';
import * as tasks from './tasks.mjs';

const processes = new Processes();
let cluster: Cluster;

beforeAll(async () => {
  await processes.startServer();
  cluster = await connect({ nats: processes.nats });
});

afterAll(async () => {
  await cluster.terminate();
  await processes.end();
});

test('a host leaves functions to themselves that do not hear their signal, says so, and ends when it is told to', async () => {
  const host = await processes.startHost('A');
  const folder = processes.newFolder();
  for (let count = 1; count <= 2; count++) {
    const abort = new AbortController();
    const call = cluster.parallelMap([folder], tasks.deaf, { signal: abort.signal });
    await entriesIn(folder, 'deaf-', count);
    abort.abort();
    await expect(call).rejects.toThrow();
  }
  expect(await cluster.parallelMap([3], tasks.square)).toEqual([9]);
  await host.says(/host function 'deaf' goes on 1 s after its call was cancelled/);
  expect(await host.end('SIGTERM')).toBe(0);
});

test('a host ends when it is told to although a task goes on whose call was cancelled', async () => {
  const app = 'spins';
  const client = await connect({ nats: processes.nats, app });
  const host = await processes.startHost('A', '--app', app);
  const folder = processes.newFolder();
  const abort = new AbortController();
  const call = client.parallelMap([folder], tasks.spins, { signal: abort.signal });
  await entriesIn(folder, 'deaf-', 1);
  abort.abort();
  await expect(call).rejects.toThrow();
  await host.says(/spins .*goes on 1 s after its call was cancelled/);
  expect(await host.end('SIGTERM')).toBe(0);
  await client.close();
});

test('programs that start at the same time with different leases on a new server all connect', async () => {
  for (let round = 0; round < 5; round++) {
    const options = { nats: processes.nats, app: `together-${round}` };
    const leases = [1000, undefined, 1000 / 3, undefined, 2000];
    const all = await Promise.all(leases.map((leaseMs) => connect({ ...options, leaseMs })));
    await Promise.all(all.map((one) => one.close()));
  }
});

test('a program that defines tasks makes itself a host, and one that would wait for itself says so', async () => {
  const self = processes.startProgram('run-self.mjs');
  await self.says(/host self is ready/);
  await self.end('SIGKILL');
  await processes
    .startProgram('run-self.mjs', 'early')
    .says(/waits for .*run-self\.mjs, and that module awaits startHost/);
});

test('a deep, unbalanced tree has jobs whose names the server takes', async () => {
  await processes.startHost('B');
  const numbers = 600;
  const run = 'r'.repeat(1000);
  expect(await cluster.invoke(new tasks.Chain(0, numbers), { run })).toBe((numbers * (numbers - 1)) / 2);
});

test.each([1000, 1024])('a server with a max_payload of %d bytes takes values of any size', async (bytes) => {
  const small = new Processes();
  try {
    await small.startServer({ config: `max_payload: ${bytes}\n` });
    await small.startHost('A');
    const client = await connect({ nats: small.nats });
    expect(await client.parallelMap(['x'.repeat(3000)], tasks.itself)).toEqual(['x'.repeat(3000)]);
    await client.close();
  } finally {
    await small.end();
  }
});
