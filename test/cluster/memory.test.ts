/** Calls leave nothing behind in a client or a host: objects are counted, of both in this process, and of the thread that computes. */
import { queryObjects } from 'node:v8';
import { type Cluster, connect, type Host, startHost } from 'furcate/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectSomeTimes } from '../helpers/garbage.js';
import { KINDS } from './many-calls.js';
import { Processes, TASKS } from './processes.js';
import * as tasks from './tasks.mjs';

/** Calls of each kind. What a call leaves behind is as many objects, or a multiple of them. */
const ROUNDS = 100;

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

/** Calls of all kinds, one after another. */
async function callAll(): Promise<void> {
  for (let k = 0; k < ROUNDS; k++) for (const call of KINDS) await call(cluster, k);
}

async function counts(): Promise<Record<string, number>> {
  const ofThread = await cluster.invoke(tasks.objects);
  await collectSomeTimes();
  const here = [Object, Function, Promise, Map, Set, ArrayBuffer, EventTarget].map((Class) => [
    Class.name,
    queryObjects(Class, { format: 'count' }),
  ]);
  return { ...Object.fromEntries(here), ofThread };
}

test('the objects of a client, a host and its thread are as many after many calls as before them', async () => {
  await callAll();
  let before = await counts();
  // The least growth counts: what a call leaves behind grows each time, what this process makes besides does not.
  const least = new Map<string, number>();
  const grows = (growth: number): boolean => growth >= ROUNDS / 2;
  for (let time = 0; time < 3; time++) {
    if (time > 0 && ![...least.values()].some(grows)) break;
    await callAll();
    const after = await counts();
    for (const [what, count] of Object.entries(after)) {
      least.set(what, Math.min(least.get(what) ?? Number.POSITIVE_INFINITY, count - (before[what] ?? 0)));
    }
    before = after;
  }
  for (const [what, growth] of least) expect(grows(growth), `${what}: ${growth} more`).toBe(false);
});
