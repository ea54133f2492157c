/** Arguments and results that are larger than a message may be (1 MiB by default). */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectToNats } from '@nats-io/transport-node';
import fc from 'fast-check';
import { type Cluster, connect } from 'furcate/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesIn, Processes } from './processes.js';
import * as tasks from './tasks.mjs';

const MIB = 2 ** 20;

const processes = new Processes();
let cluster: Cluster;

beforeAll(async () => {
  await processes.startServer();
  await processes.startHost('A');
  cluster = await connect({ nats: processes.nats });
});

afterAll(async () => {
  await cluster.terminate();
  await processes.end();
});

/** A text of which each place can be told from others. */
function textOf(length: number): string {
  let text = '';
  for (let k = 0; text.length < length; k++) text += `${Math.imul(k + 1, 0x9e3779b1)},`;
  return text.slice(0, length);
}

test('values of any size cross as arguments and as results', async () => {
  const sizes = fc.oneof(
    fc.integer({ min: MIB - 3000, max: MIB + 3000 }),
    fc.integer({ min: 2 * MIB - 3000, max: 2 * MIB + 3000 }),
    fc.integer({ min: 0, max: 6 * MIB }),
  );
  await fc.assert(
    fc.asyncProperty(sizes, async (length) => {
      const text = textOf(length);
      expect((await cluster.invoke(tasks.itself, text)) === text).toBe(true);
    }),
    { numRuns: 15 },
  );
});

test('results of 1 kB to 64 MB arrive at the same time, each in its place', async () => {
  const lengths = [1000, 64 * MIB, 1, 3 * MIB, 16 * MIB];
  const texts = await cluster.parallelMap(lengths, tasks.textOf);
  expect(texts.map((text) => text.length)).toEqual(lengths);
});

test('nothing of them is kept when a call has ended', async () => {
  const own = await connect({ nats: processes.nats });
  await own.invoke(tasks.textOf, 5 * MIB);
  await expect(own.parallelMap([textOf(3 * MIB), 'no'], tasks.fails)).rejects.toThrow(RangeError);
  await own.close();
  // A host that was about to store a result when the call was cancelled takes it back.
  const kept = async (): Promise<unknown> => {
    const { queued, results } = await cluster.stats();
    return { queued, results };
  };
  await expect.poll(kept, { timeout: 20_000 }).toEqual({ queued: 0, results: { count: 0, bytes: 0 } });
});

test('a result for which the server has no room is an error that says so', async () => {
  const small = new Processes();
  await small.startServer({ storeBytes: 8 * MIB });
  await small.startHost('A');
  const poor = await connect({ nats: small.nats });
  await expect(poor.invoke(tasks.textOf, 24 * MIB)).rejects.toThrow(
    /furcate: the result of textOf.* has \d+ bytes, and the server does not store them: /,
  );
  expect(await poor.invoke(tasks.square, 3)).toBe(9);
  await poor.close();
  await small.end();
});

test('so is a small result for which the server has no room, and its host goes on', async () => {
  const full = new Processes();
  await full.startServer({ storeBytes: MIB });
  await full.startHost('A');
  const client = await connect({ nats: full.nats });
  const folder = full.newFolder();
  const call = client.invoke(tasks.gated, [folder, 0]);
  await entriesIn(folder, '0-', 1);
  const nats = await connectToNats({ servers: full.nats });
  for (let sizeBytes = 2 ** 16, k = 0; sizeBytes >= 16; k++) {
    const { headers, data } = await nats.request(`furcate.default.result.other.map.k${k}`, new Uint8Array(sizeBytes));
    if (headers !== undefined || 'error' in JSON.parse(new TextDecoder().decode(data))) sizeBytes /= 2; // it is full for as much
  }
  mkdirSync(join(folder, 'open'));
  await expect(call).rejects.toThrow(
    /furcate: the result of .*gated.* has \d+ bytes, and the server does not store them: /,
  );
  const manager = await jetstreamManager(nats);
  await manager.streams.purge('furcate-default-results');
  expect(await client.invoke(tasks.square, 3)).toBe(9);
  await nats.close();
  await client.close();
  await full.end();
});
