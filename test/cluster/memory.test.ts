/** Calls leave nothing behind in a client or a host: objects are counted, of both in this process, and of the thread that computes. */
import { queryObjects } from 'node:v8';
import { type Cluster, connect, type Host, startHost } from 'furcate/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectSomeTimes } from '../helpers/garbage.js';
import { KINDS } from './many-calls.js';
import { Processes, TASKS } from './processes.js';
import * as tasks from './tasks.mjs';

/** Calls of each kind in an interval. What one kind of calls leaves behind is as many objects, or a multiple of them. */
const ROUNDS = 24;
/** How many fewer objects there may be at a second look, where nothing that calls have begun is under way any more. */
const FEW = 5;

const processes = new Processes();
let host: Host;
let cluster: Cluster;

beforeAll(async () => {
  await processes.startServer();
  const options = { nats: processes.nats, app: 'memory' };
  host = await startHost({ ...options, name: 'A', modules: [`file://${TASKS}`], pool: { parallelism: 1 } });
  cluster = await connect(options);
});

afterAll(async () => {
  await Promise.all([cluster.terminate(), host.close({ graceMs: 0 })]);
  await processes.end();
});

/** Calls of all kinds, one after another, until the server has nothing of them any more. @param also is called after each round */
async function callAll(also: (k: number) => void = () => {}): Promise<void> {
  for (let k = 0; k < ROUNDS; k++) {
    for (const call of KINDS) await call(cluster, k);
    also(k);
  }
  while ((await cluster.runs()).length > 0);
}

/** Objects of this process, of all classes, and of the thread that computes. */
type Counts = readonly [here: number, there: number];

async function look(): Promise<Counts> {
  const there = await cluster.invoke(tasks.objects);
  await collectSomeTimes();
  return [queryObjects(Object, { format: 'count' }), there];
}

/** Looks until there are not fewer: what calls have begun ends soon, and what they leave behind stays. */
async function counts(): Promise<Counts> {
  let [here, there] = await look();
  for (;;) {
    const now = await look();
    if (now[0] > here - FEW && now[1] > there - FEW) return now;
    [here, there] = now;
  }
}

const isLeak = (before: number, after: number): boolean => after - before >= ROUNDS / 2;

test('the objects of a client, a host and its thread are as many after many calls as before them', async () => {
  await callAll();
  const before = await counts();
  await callAll();
  const after = await counts();
  const kept: unknown[] = [];
  await callAll((k) => kept.push({ k }));
  const [withLeak] = await counts();
  const seen = `${before} before the calls, ${after} after them, ${withLeak} with a leak`;
  expect([isLeak(before[0], after[0]), isLeak(before[1], after[1])], seen).toEqual([false, false]);
  expect(isLeak(after[0], withLeak), seen).toBe(true); // one object for each call of a kind is seen
  expect(kept).toHaveLength(ROUNDS);
});
