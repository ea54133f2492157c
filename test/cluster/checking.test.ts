/** `furcate-worker --check`: whether a host could work here. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { examineHost } from 'furcate/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Processes, TASKS } from './processes.js';

const processes = new Processes();
const without = new Processes();
const guarded = new Processes();
const MAY_ALL = `{ user: all, password: x }`;
const MAY_NOT = `{ user: some, password: x, permissions: { publish: ['$JS.API.>', 'furcate.default.result.>'], subscribe: ['_INBOX.>'] } }`;

/** What a host publishes and hears, as docs/cluster.md lists it, and each without one of them. */
const PUBLISHES = [
  '$JS.API.STREAM.*.furcate-default-jobs',
  '$JS.API.STREAM.*.furcate-default-results',
  '$JS.API.CONSUMER.*.furcate-default-jobs.>',
  '$JS.API.STREAM.MSG.GET.furcate-default-results',
  '$JS.API.DIRECT.GET.furcate-default-results.>',
  'furcate.default.result.>',
  'furcate.default.who',
  '$JS.API.CONSUMER.MSG.NEXT.furcate-default-jobs.>',
  '$JS.ACK.furcate-default-jobs.>',
  'furcate.default.client.>',
  '_INBOX.>',
];
const HEARS = ['_INBOX.>', 'furcate.default.cancel.>', 'furcate.default.share.>', 'furcate.default.who'];
const allBut = (all: readonly string[], k: number): string => JSON.stringify(all.filter((_, n) => n !== k));
/** Users, each of whom lacks one subject. */
const LACKING = PUBLISHES.map((subject, k) => ({
  subject,
  user: `lacks${k}`,
  permissions: `publish: ${allBut(PUBLISHES, k)}, subscribe: ${JSON.stringify(HEARS)}`,
}));

beforeAll(async () => {
  await processes.startServer();
  await without.startServer({ hasJetStream: false });
  await guarded.startServer({
    config: `authorization { users: [${[MAY_ALL, MAY_NOT, ...LACKING.map(({ user, permissions }) => `{ user: ${user}, password: x, permissions: { ${permissions} } }`)].join(', ')}] }\n`,
  });
});
afterAll(() => Promise.all([processes, without, guarded].map((one) => one.end())));

const verdicts = async (nats: string, module = `file://${TASKS}`, options: object = {}) => {
  const { ok, checks } = await examineHost({ nats, modules: [module], ...options });
  return {
    ok,
    checks: Object.fromEntries(checks.map(({ name, verdict, finding }) => [name, `${verdict} ${finding}`])),
  };
};

test('all is well where a host works, and hosts of other versions are told', async () => {
  await processes.startHost('A', '--app-version', '1');
  const program = processes.startHostProgram({}, 'B', '--nats', processes.nats, '--app-version', '2', '--check');
  expect(await program.ended).toBe(0);
  const text = program.output.replace(/\s+/g, ' ');
  expect(text).toMatch(/^ yes packages .* yes server 127\.0\.0\.1:\d+ answers\. yes version nats-server 2\./);
  expect(text).toMatch(/yes hosts A \(1\); 0 jobs wait\. 1 of another version.* All is well\. $/);
  expect(
    program.output
      .trim()
      .split('\n')
      .every((line) => line.length <= 80),
  ).toBe(true);
});

test('what is missing is named: a server, JetStream, a permission, a module', async () => {
  const away = processes.startHostProgram({ NATS_URL: 'nats://ann:s3cret@127.0.0.1:1' }, 'C', '--check');
  expect(await away.ended).toBe(1);
  expect(away.output).toMatch(/no {3}server +nats:\/\/127\.0\.0\.1:1 does not answer[\s\S]*A host cannot work here\./);
  expect(away.output).not.toContain('s3cret');

  const { ok, checks } = await verdicts(without.nats, 'file:///no-such-module.mjs');
  expect(ok).toBe(false);
  expect(checks).toMatchObject({
    server: expect.stringMatching(/^yes/),
    JetStream: expect.stringMatching(/^no .*without JetStream/),
    streams: expect.stringMatching(/^untested/),
    modules: expect.stringMatching(/^no .*no-such-module/),
  });

  const refused = await verdicts(`nats://some:x@${guarded.nats}`);
  expect(refused.checks).toMatchObject({
    streams: expect.stringMatching(/^yes/),
    permissions: expect.stringMatching(/^no .*does not permit.*furcate\.default\.cancel/),
  });
  expect((await verdicts(`nats://all:x@${guarded.nats}`)).ok).toBe(true);
});

test('each permission that a host needs is looked for', async () => {
  await verdicts(`nats://all:x@${guarded.nats}`); // makes the streams
  const found = await Promise.all(LACKING.map(({ user }) => verdicts(`nats://${user}:x@${guarded.nats}`)));
  for (const [k, { ok, checks }] of found.entries()) {
    const subject = LACKING[k]?.subject as string;
    expect({ subject, ok }).toEqual({ subject, ok: false });
    const said = Object.values(checks).find((text) => text.startsWith('no '));
    expect(said).toMatch(/does not permit/);
  }
});

test('a check can be ended while the server does not answer, and says what is wrong with its arguments', async () => {
  const mute = createServer().listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const { port } = mute.address() as AddressInfo;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const asked = once(mute, 'connection');
    const checking = processes.startHostProgram({}, 'D', '--nats', `127.0.0.1:${port}`, '--check');
    await asked;
    await checking.end(signal);
    expect([checking.process.signalCode, checking.output]).toEqual([signal, '']);
  }
  mute.close();
  const wrong = processes.startHostProgram({}, 'E', '--nats', processes.nats, '--lease', '1e12', '--check');
  expect(await wrong.ended).toBe(2);
  expect(wrong.output).toMatch(/^furcate: .*leaseMs must be a number of milliseconds.*\n\nUsage: furcate-worker/);
});
