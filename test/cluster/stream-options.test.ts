/** What an operator decides about the streams: replicas, a domain, the bytes that they may have. */
import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectToNats } from '@nats-io/transport-node';
import { connect, type StreamOptions } from 'furcate/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort, Processes } from './processes.js';
import * as tasks from './tasks.mjs';

/** What the server says of the streams of an application. */
async function streams(nats: string, app: string, domain?: string) {
  const connection = await connectToNats({ servers: nats });
  const manager = await jetstreamManager(connection, domain === undefined ? {} : { domain });
  const configs = await Promise.all(
    ['jobs', 'results'].map(async (name) => (await manager.streams.info(`furcate-${app}-${name}`)).config),
  );
  await connection.close();
  return configs;
}

describe('one server with a domain', () => {
  const processes = new Processes();
  beforeAll(async () => {
    await processes.startServer({ domain: 'hub' });
  });
  afterAll(() => processes.end());

  test('serves programs that name its domain', async () => {
    await processes.startHost('A', '--domain', 'hub');
    const cluster = await connect({ nats: processes.nats, domain: 'hub' });
    expect(await cluster.parallelMap([1, 2], tasks.square, { at: () => 'A' })).toEqual([1, 4]);
    expect(await cluster.invoke(tasks.textOf, 2_000_000)).toHaveLength(2_000_000);
    await cluster.close();
    expect(await streams(processes.nats, 'default', 'hub')).toHaveLength(2);
  });

  test('a domain that no server has is an error that says so', async () => {
    const wrong = connect({ nats: processes.nats, domain: 'attic' });
    await expect(wrong).rejects.toThrow(/furcate: .*(JetStream|domain 'attic')/);
  });

  test('streams get the bytes that the last program has named, and keep them for those that name none', async () => {
    const open = async (options: StreamOptions): Promise<void> => {
      const cluster = await connect({ nats: processes.nats, app: 'bytes', ...options });
      await cluster.close();
    };
    const bytes = async () => (await streams(processes.nats, 'bytes', 'hub')).map((config) => config.max_bytes);
    await open({});
    expect(await bytes()).toEqual([-1, -1]);
    await open({ maxBytes: 2_000_000 });
    expect(await bytes()).toEqual([2_000_000, 2_000_000]);
    await open({});
    expect(await bytes()).toEqual([2_000_000, 2_000_000]);
    await Promise.all([open({ maxBytes: 3_000_000 }), open({ maxBytes: 3_000_000 })]);
    expect(await bytes()).toEqual([3_000_000, 3_000_000]);
  });

  test('more replicas than servers are an error that says so', async () => {
    const many = connect({ nats: processes.nats, app: 'many', replicas: 3, domain: 'hub' });
    await expect(many).rejects.toThrow(/furcate: fewer NATS servers answer than options\.replicas needs/);
  });

  test('a call that finds no room for its jobs fails, and says so', async () => {
    const cluster = await connect({ nats: processes.nats, app: 'full', maxBytes: 100_000 });
    const items = Array.from({ length: 20 }, () => 'x'.repeat(10_000));
    await expect(cluster.parallelMap(items, tasks.itself)).rejects.toThrow(
      /furcate: the NATS server has no room to store this.*options\.maxBytes/,
    );
    expect(await cluster.stats()).toMatchObject({ queued: 0, results: { count: 0 } });
    await cluster.close();
  });

  test('a small result for which there is no room is told as such, that of a shared task too, and costs no host', async () => {
    const app = 'no-room';
    const cluster = await connect({ nats: processes.nats, domain: 'hub', app, maxBytes: 100_000 });
    const host = await processes.startHost('B', '--domain', 'hub', '--app', app, '--lease', '500');
    const nats = await connectToNats({ servers: processes.nats });
    const jetstream = (await jetstreamManager(nats, { domain: 'hub' })).jetstream();
    const fill = async (bytes: number): Promise<void> => {
      for (let n = 0; ; n++)
        try {
          await jetstream.publish(`furcate.${app}.result.other.${bytes}.${n}`, new Uint8Array(bytes));
        } catch {
          return;
        }
    };
    for (const bytes of [10_000, 1000, 100, 1]) await fill(bytes);
    const noRoom = /furcate: the result of .* has \d+ bytes, and the server does not store them: .*no room/;
    await expect(cluster.invoke(tasks.square, 3)).rejects.toThrow(noRoom);
    await expect(cluster.parallelMap([1, 2, 3], tasks.itself, { run: 'named' })).rejects.toThrow(noRoom);
    await expect(cluster.invoke(new tasks.Fractions(0, 4096, ''))).rejects.toThrow(noRoom);
    await cluster.purge('other');
    expect(await cluster.invoke(tasks.square, 3)).toBe(9);
    expect(await host.end('SIGTERM')).toBe(0); // it has ended what it had of the calls that failed
    expect(await cluster.stats()).toMatchObject({ queued: 0, inFlight: 0 });
    await Promise.all([cluster.close(), nats.close()]);
  });
});

describe('three servers', () => {
  const servers = [new Processes(), new Processes(), new Processes()];
  let start: (k: number) => Promise<void>;
  beforeAll(async () => {
    const ports = await Promise.all(servers.map(() => freePort()));
    const routes = ports.map((port) => `nats://127.0.0.1:${port}`).join(', ');
    start = async (k) =>
      servers[k]?.startServer({
        config: `server_name: n${k}\ncluster { name: test, listen: '127.0.0.1:${ports[k]}', routes: [${routes}] }\n`,
      });
    await Promise.all([start(0), start(1)]);
  });
  afterAll(() => Promise.all(servers.map((server) => server.end())));

  test('keep streams of three replicas, and any of them may die', async () => {
    const first = servers.slice(0, 2).map(({ nats }) => nats);
    const host = servers[2]?.startHostProgram({}, 'A', '--nats', first.join(','), '--replicas', '3');
    await host?.says(/fewer NATS servers answer than options.replicas needs.* goes on trying/);
    await start(2);
    await host?.says(/is ready/);
    const nats = servers.map((server) => server.nats);
    const cluster = await connect({ nats });
    expect((await streams(nats[1] as string, 'default')).map((config) => config.num_replicas)).toEqual([3, 3]);
    expect(await cluster.parallelMap([1, 2, 3], tasks.square)).toEqual([1, 4, 9]);
    await servers[0]?.endServer();
    expect(await cluster.parallelMap([4, 5, 6], tasks.square)).toEqual([16, 25, 36]);
    await cluster.close();
  });
});
