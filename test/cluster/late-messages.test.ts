/** Messages that arrive late, or after what they concern has ended. */
import { type Cluster, connect } from 'furcate/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Processes } from './processes.js';
import { Relay } from './relay.js';
import * as tasks from './tasks.mjs';

/** Less than the time after which a call looks whether the server has its jobs (milliseconds). */
const SOON_MS = 20_000;
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
async function newCluster() {
  const app = `late-${++apps}`;
  const [near, far] = [await newRelay(), await newRelay()];
  const cluster = await connect({ nats: near.nats, app });
  clusters.push(cluster);
  return { cluster, near, far, startHost: () => processes.startHost('A', '--app', app, '--nats', far.nats) };
}

test('a call is run that follows one with the same run id and work, whose job is not acknowledged yet', async () => {
  const { cluster, near, far, startHost } = await newCluster();
  await startHost();
  far.toServer.holdFrom(/\+ACK/);
  expect(await cluster.parallelMap([2], tasks.square, { run: 'again' })).toEqual([4]);
  const again = cluster.parallelMap([2], tasks.square, { run: 'again', timeoutMs: SOON_MS });
  await near.fromServer.has(/"stream":"furcate-late-\d+-jobs",/g, 2); // the server has answered to both jobs
  far.toServer.letGo();
  expect(await again).toEqual([4]);
});

test('a host that is cancelled while it stores a large result publishes none', async () => {
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

test('a large job is run though the answer to its first message comes after the second', async () => {
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
