/** `furcate-worker --check`: whether a host could work here. */
import { examineHost } from 'furcate/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Processes, TASKS } from './processes.js';

const processes = new Processes();
const without = new Processes();
const guarded = new Processes();
const MAY_ALL = `{ user: all, password: x }`;
const MAY_NOT = `{ user: some, password: x, permissions: { publish: ['$JS.API.>', 'furcate.default.result.>'], subscribe: ['_INBOX.>'] } }`;

beforeAll(async () => {
  await processes.startServer();
  await without.startServer({ hasJetStream: false });
  await guarded.startServer({ config: `authorization { users: [${MAY_ALL}, ${MAY_NOT}] }\n` });
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
