/** Jobs that last while other hosts are idle. */
import { readdirSync } from 'node:fs';
import { ForkJoinPool } from 'furcate';
import { type Cluster, connect } from 'furcate/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesIn, Processes } from './processes.js';
import { Uneven } from './tasks.mjs';

const processes = new Processes();
let cluster: Cluster;

beforeAll(async () => {
  await processes.startServer();
  await Promise.all([processes.startHost('A'), processes.startHost('B')]);
  cluster = await connect({ nats: processes.nats });
});

afterAll(async () => {
  await cluster.terminate();
  await processes.end();
});

/** The sum on one thread here. */
async function localSum(task: Uneven): Promise<number> {
  const pool = new ForkJoinPool({ parallelism: 1 });
  const sum = await pool.invoke(task);
  await pool.close();
  return sum;
}

test('one job that has nearly all of the work is shared by the hosts, and the bits are those of a pool', async () => {
  const folder = processes.newFolder();
  const local = await localSum(new Uneven(0, 4096, { folder: '', hosts: 0 }));
  expect(await cluster.invoke(new Uneven(0, 4096, { folder, hosts: 2 }))).toBe(local);
  expect(readdirSync(folder)).toHaveLength(2);
});

test('a client that was killed after a job was shared is followed by one that goes on with its parts', async () => {
  const folder = processes.newFolder();
  const local = await localSum(new Uneven(0, 4096, { folder: '', hosts: 0 }));
  const client = processes.startProgram('run-uneven.mjs', folder, '2');
  await entriesIn(folder, '', 2); // a second host has some
  await client.end('SIGKILL');
  const task = new Uneven(0, 4096, { folder, hosts: 2 });
  expect(await cluster.invoke(task, { run: 'uneven' })).toBe(local);
});

test('a call that is checked computes each job as a whole', async () => {
  const checked = await connect({ nats: processes.nats, checked: true });
  const task = new Uneven(0, 64, { folder: '', hosts: 0 });
  expect(await checked.invoke(task)).toBe(await localSum(task));
  await checked.close();
});
