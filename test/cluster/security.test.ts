/** A server that speaks TLS, and whose users may use certain subjects only. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsServer } from 'furcate/cluster';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Processes, TASKS } from './processes.js';
import * as tasks from './tasks.mjs';

const APP = 'secure';
const processes = new Processes();
const file = (name: string): string => join(processes.folder, name);

/** A certificate for 127.0.0.1 that an authority of this test has signed. */
async function makeCertificates(): Promise<void> {
  const authority = await generate([{ name: 'commonName', value: 'test authority' }], {
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  const server = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 7, ip: '127.0.0.1' },
          { type: 2, value: 'localhost' },
        ],
      },
    ],
  });
  writeFileSync(file('ca.pem'), authority.cert);
  writeFileSync(file('server.pem'), server.cert);
  writeFileSync(file('server.key'), server.private);
}

/** The subjects of docs/cluster.md. */
const permissions = (publish: readonly string[], subscribe: readonly string[]): string =>
  `permissions { publish: ${JSON.stringify(publish)}, subscribe: ${JSON.stringify(subscribe)} }`;
const STREAMS = [`*.furcate-${APP}-jobs`, `*.furcate-${APP}-results`];
const setUp = [...STREAMS.map((name) => `$JS.API.STREAM.${name}`), `$JS.API.CONSUMER.*.furcate-${APP}-jobs.>`];
const CLIENT = permissions(
  [
    ...setUp,
    `$JS.API.CONSUMER.LIST.furcate-${APP}-jobs`,
    `$JS.API.STREAM.MSG.GET.furcate-${APP}-jobs`,
    `$JS.API.STREAM.MSG.GET.furcate-${APP}-results`,
    `$JS.API.DIRECT.GET.furcate-${APP}-results.>`,
    `$JS.API.CONSUMER.*.furcate-${APP}-results`,
    `$JS.API.CONSUMER.*.furcate-${APP}-results.>`,
    `$JS.API.CONSUMER.MSG.NEXT.furcate-${APP}-results.>`,
    '$JS.FC.>',
    `furcate.${APP}.job.>`,
    `furcate.${APP}.result.>`,
    `furcate.${APP}.cancel.>`,
    `furcate.${APP}.share.>`,
    `furcate.${APP}.who`,
  ],
  ['_INBOX.>', `furcate.${APP}.client.>`],
);
const HOST = permissions(
  [
    ...setUp,
    `$JS.API.CONSUMER.MSG.NEXT.furcate-${APP}-jobs.>`,
    `$JS.API.STREAM.MSG.GET.furcate-${APP}-results`,
    `$JS.API.DIRECT.GET.furcate-${APP}-results.>`,
    `$JS.ACK.furcate-${APP}-jobs.>`,
    `furcate.${APP}.result.>`,
    `furcate.${APP}.client.>`,
    `furcate.${APP}.who`,
    '_INBOX.>',
  ],
  ['_INBOX.>', `furcate.${APP}.cancel.>`, `furcate.${APP}.share.>`, `furcate.${APP}.who`],
);
const STRANGER = permissions(['elsewhere.>'], ['_INBOX.>', 'elsewhere.>']);

beforeAll(async () => {
  await makeCertificates();
  const users = Object.entries({ client: CLIENT, host: HOST, stranger: STRANGER }).map(
    ([user, allowed]) => `{ user: ${user}, password: secret, ${allowed} }`,
  );
  const config = `tls { cert_file: '${file('server.pem')}', key_file: '${file('server.key')}' }
authorization { users: [ ${users.join(',\n')} ] }
`;
  await processes.startServer({ config });
});

afterAll(() => processes.end());

const as = (user: string): NatsServer => ({
  servers: processes.nats,
  user,
  pass: 'secret',
  tls: { caFile: file('ca.pem') },
});

const hostAs = (user: string, name: string) =>
  processes.startProgram(
    'run-host.mjs',
    JSON.stringify({ nats: as(user), app: APP, name, modules: [`file://${TASKS}`] }),
  );

describe('a server with TLS and permissions', () => {
  test('serves clients and hosts that have them', async () => {
    writeFileSync(file('host.json'), JSON.stringify(as('host')));
    await processes.startHost('A', '--app', APP, '--nats-options', file('host.json'));
    const cluster = await connect({ nats: as('client'), app: APP });
    expect(await cluster.parallelMap([1, 2, 3], tasks.square, { at: () => 'A', run: 'named' })).toEqual([1, 4, 9]);
    expect(await cluster.invoke(new tasks.Fractions(0, 1000, ''))).toBeGreaterThan(7);
    expect(await cluster.invoke(tasks.textOf, 3_000_000)).toHaveLength(3_000_000);
    expect((await cluster.stats()).hosts).toEqual([expect.objectContaining({ name: 'A', jobs: 0 })]);
    await cluster.close();
  });

  test('refuses those that have none, with an error that says so', async () => {
    await expect(connect({ nats: as('stranger'), app: APP })).rejects.toThrow(
      /furcate: the NATS server does not permit .*\$JS\.API\.STREAM/,
    );
    await hostAs('stranger', 'B').says(/furcate: the NATS server does not permit/);
  });

  test('refuses whom it does not know, and whoever does not know its authority', async () => {
    const unknown = connect({ nats: as('nobody'), app: APP });
    await expect(unknown).rejects.toThrow(/furcate: .*[Aa]uthorization/);
    const distrusting = connect({
      nats: { servers: processes.nats, user: 'client', pass: 'secret', tls: {} },
      app: APP,
    });
    await expect(distrusting).rejects.toThrow(/furcate: no NATS server answers.*certificate/);
    const options = { nats: { servers: processes.nats, tls: {} }, app: APP, name: 'C', modules: [`file://${TASKS}`] };
    const host = processes.startProgram('run-host.mjs', JSON.stringify(options));
    await host.says(/furcate: no NATS server answers.*certificate.* goes on trying/);
  });
});
