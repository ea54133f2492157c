/** Messages that no program of the library sends, from one that may publish: hosts and clients go on, and nothing of them is run. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import v8 from 'node:v8';
import { connect as connectToNats, headers, type NatsConnection } from '@nats-io/transport-node';
import { type Cluster, connect } from 'furcate/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STEP_HANG_MS } from '../helpers/limits.js';
import { entriesIn, Processes } from './processes.js';
import * as tasks from './tasks.mjs';

const processes = new Processes();
let nats: NatsConnection;
let cluster: Cluster;

beforeAll(async () => {
  await processes.startServer();
  await Promise.all(['A', 'B'].map((name) => processes.startHost(name)));
  nats = await connectToNats({ servers: processes.nats });
  cluster = await connect({ nats: processes.nats });
});

afterAll(async () => {
  await cluster.terminate();
  await nats.close();
  await processes.end();
});

function packed(values: unknown): Uint8Array {
  const writer = new v8.Serializer();
  writer.writeHeader();
  writer.writeValue({ version: 1, codes: [], values });
  return writer.releaseBuffer();
}

/** An error whose class is a function that makes functions of text. */
const codeOf = (text: string) => ({
  'furcate:mark': 'error',
  value: { base: 'Function', message: text, name: 'x', hidden: [], stack: undefined },
  fields: {},
});

const writing = (file: string): string => `process.getBuiltinModule('node:fs').writeFileSync('${file}', '')`;

async function bothWork(): Promise<void> {
  const folder = processes.newFolder();
  const met = await cluster.parallelMap(
    [
      [folder, 2],
      [folder, 2],
    ] as const,
    tasks.meet,
  );
  expect(met.toSorted()).toEqual(['A', 'B']);
}

test('hosts hear the next message after one that is no order, no JSON, or of other types', async () => {
  for (const text of [
    'null',
    '',
    '{',
    '[]',
    '{"keys":1}',
    '{"keys":[1],"wanted":{}}',
    '"x"',
    '[[[[',
    '{"wanted":1e999}',
  ])
    for (const subject of ['share.a.b', 'cancel.a.b', 'who', 'share', 'cancel.a.=ffffffff=.c'])
      nats.publish(`furcate.default.${subject}`, text);
  await nats.flush();
  await bothWork();
  expect((await cluster.stats()).hosts.map(({ name }) => name)).toEqual(['A', 'B']);
});

test('neither a host nor a client answers where the server takes orders', async () => {
  const own = await connect({ nats: processes.nats, app: 'deputy' });
  await processes.startHost('D', '--app', 'deputy');
  const folder = processes.newFolder();
  const call = own.invoke(tasks.gated, [folder, 0]);
  await entriesIn(folder, '0-', 1);
  const { run } = (await own.runs())[0] as { run: string };
  for (const stream of ['jobs', 'results'])
    for (const order of ['DELETE', 'PURGE'])
      for (const subject of ['who', `client.${run}`])
        nats.publish(`furcate.deputy.${subject}`, '', { reply: `$JS.API.STREAM.${order}.furcate-deputy-${stream}` });
  await nats.flush();
  expect(await own.stats()).toMatchObject({ hosts: [{ name: 'D' }], inFlight: 1 }); // asked after those
  mkdirSync(join(folder, 'open'));
  expect(await call).toEqual([0, 'D']);
  await own.close();
});

test('a job of other bytes, kinds, headers or names ends as a failure, and is not kept', async () => {
  const strange: readonly (readonly [kind: string, bytes: Uint8Array])[] = [
    ['task', new Uint8Array()],
    ['tree', Uint8Array.of(255, 15, 1, 2)],
    ['host function', new TextEncoder().encode('no line')],
    ['%zz', packed([])],
    ['', packed(1)],
    ['task', packed([['class', '', 'Sum'], 5])],
    ['task', packed([['function', 'furcate:', 'checkpoint'], []])],
  ];
  for (const [k, [kind, bytes]] of strange.entries()) {
    const told = headers();
    told.set('Furcate-Kind', kind);
    told.set('Furcate-Chunks', k % 2 === 0 ? '' : 'x 1e9 -1');
    await nats.request(`furcate.default.job.any.=ffffffff=.1.k${k}`, bytes, { headers: told, timeout: STEP_HANG_MS });
  }
  while ((await cluster.stats()).queued + (await cluster.stats()).inFlight > 0);
  await bothWork();
});

test.each(['throws a proxy', 'throws an accessor', 'returns an accessor', 'returns a proxy'])(
  'a host function that %s which cannot be read fails its call, once',
  async (kind) => {
    await expect(cluster.invoke(tasks.unreadable, kind)).rejects.toThrow(/./);
    // The host takes its job from the queue after the client has the result.
    await expect.poll(() => cluster.stats(), { timeout: STEP_HANG_MS }).toMatchObject({ queued: 0, inFlight: 0 });
  },
);

test('no bytes of a job or a result are run as code', async () => {
  const folder = processes.newFolder();
  const files = ['task', 'argument', 'result'].map((name) => join(folder, name));
  const [task, argument, result] = files.map((file) => codeOf(writing(file)));
  const send = async (kind: string, bytes: Uint8Array): Promise<void> => {
    const told = headers();
    told.set('Furcate-Kind', encodeURIComponent(kind));
    await nats.request(`furcate.default.job.any.evil.1.${kind.length}`, bytes, {
      headers: told,
      timeout: STEP_HANG_MS,
    });
  };
  const fields = ['split', 'combine', 'compute', 'valueOf', 'toString'].map((name) => [name, task]);
  await send('tree', packed([['class', '', 'Fractions'], fields]));
  const call = Buffer.from(`${JSON.stringify(['', 'fraction'])}\n`);
  await send('host function', Buffer.concat([call, packed({ valueOf: argument })]));
  const pending = cluster.invoke(tasks.gated, [folder, 0]);
  pending.catch(() => {});
  await entriesIn(folder, '0-', 1);
  const { jetstreamManager } = await import('@nats-io/jetstream');
  const manager = await jetstreamManager(nats);
  const { state } = await manager.streams.info('furcate-default-jobs', { subjects_filter: 'furcate.default.job.>' });
  const subject = Object.keys(state.subjects ?? {}).find((one) => !one.includes('.evil.')) as string;
  const spoilt = Object.fromEntries([['then', result]]);
  await nats.request(subject.replace('.job.any.', '.result.'), packed([false, spoilt]));
  await expect(pending.then((value) => typeof Object(value).then)).resolves.not.toBe('function');
  await bothWork();
  expect(files.filter((file) => existsSync(file))).toEqual([]);
});
