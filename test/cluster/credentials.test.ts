/** Who connects: credentials in files and in the environment, which no output shows. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as nkeys from '@nats-io/nkeys';
import { connect } from 'furcate/cluster';
import { afterAll, describe, expect, test } from 'vitest';
import { Processes } from './processes.js';
import * as tasks from './tasks.mjs';

const all: Processes[] = [];
async function serverWith(config: string): Promise<Processes> {
  const processes = new Processes();
  all.push(processes);
  await processes.startServer({ config });
  return processes;
}
afterAll(() => Promise.all(all.map((processes) => processes.end())));

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function file(processes: Processes, name: string, content: string): string {
  const path = join(processes.folder, name);
  writeFileSync(path, content);
  return path;
}

type Key = ReturnType<typeof nkeys.createUser>;

/** A JWT of NATS, signed by the issuer. */
function jwt(issuer: Key, subject: Key, claims: Record<string, unknown>): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const body = {
    jti: crypto.randomUUID(),
    iat: 1,
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    nats: claims,
  };
  const head = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part(body)}`;
  return `${head}.${Buffer.from(issuer.sign(new TextEncoder().encode(head))).toString('base64url')}`;
}

/** Runs a call through a host, each with its credentials. */
async function works(processes: Processes, options: object, args: readonly string[], env: object = {}): Promise<void> {
  const host = await processes.startHostWith(env as Record<string, string>, 'A', ...args);
  const cluster = await connect({ nats: { servers: processes.nats, ...options } });
  expect(await cluster.invoke(tasks.square, 3)).toBe(9);
  await cluster.close();
  await host.end('SIGTERM');
}

describe('a host and a client connect', () => {
  test('with the seed of an nkey in a file', async () => {
    const key = nkeys.createUser();
    const processes = await serverWith(`authorization { users: [{ nkey: ${key.getPublicKey()} }] }`);
    const nkeyFile = file(processes, 'seed', `${text(key.getSeed())}\n`);
    await works(processes, { nkeyFile }, ['--nkey', nkeyFile]);
    await works(processes, { nkeyFile }, [], { NATS_NKEY: nkeyFile });
  });

  test('with a token in a file, or in the environment, or in a URL there', async () => {
    const processes = await serverWith('authorization { token: s3cret }');
    const tokenFile = file(processes, 'token', 's3cret\n');
    await works(processes, { tokenFile }, ['--token-file', tokenFile]);
    await works(processes, { token: 's3cret' }, [], { NATS_TOKEN: 's3cret' });
    await works(processes, { servers: `nats://s3cret@${processes.nats}` }, [], {
      NATS_URL: `nats://s3cret@${processes.nats}`,
    });
  });

  test('with a user and a password in a file, or in the environment, or in a URL', async () => {
    const processes = await serverWith('authorization { users: [{ user: ann, password: "p@ss" }] }');
    const passFile = file(processes, 'pass', 'p@ss');
    const options = file(processes, 'options.json', JSON.stringify({ user: 'ann', passFile }));
    await works(processes, { user: 'ann', passFile }, ['--nats-options', options]);
    await works(processes, { user: 'ann', pass: 'p@ss' }, [], { NATS_USER: 'ann', NATS_PASSWORD: 'p@ss' });
    await works(processes, { servers: `nats://ann:p%40ss@${processes.nats}` }, ['--nats-options', options]);
  });

  test('with a file of credentials, JWT and seed', async () => {
    const [operator, user] = [nkeys.createOperator(), nkeys.createUser()];
    const [account, system] = [nkeys.createAccount(), nkeys.createAccount()];
    const limits = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
    const storage = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
    const ofAccount = { type: 'account', version: 2, limits: { ...limits, ...storage } };
    const ofUser = { type: 'user', version: 2, subs: -1, data: -1, payload: -1 };
    const processes = await serverWith(
      `operator: ${jwt(operator, operator, { type: 'operator', version: 2 })}
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload: {
  ${account.getPublicKey()}: ${jwt(operator, account, ofAccount)}
  ${system.getPublicKey()}: ${jwt(operator, system, { type: 'account', version: 2, limits })}
}
`,
    );
    const credsFile = file(
      processes,
      'user.creds',
      `-----BEGIN NATS USER JWT-----\n${jwt(account, user, ofUser)}\n------END NATS USER JWT------\n
-----BEGIN USER NKEY SEED-----\n${text(user.getSeed())}\n------END USER NKEY SEED------\n`,
    );
    await works(processes, { credsFile }, ['--creds', credsFile]);
    await works(processes, { credsFile }, [], { NATS_CREDS: credsFile });
  });
});

describe('no output shows a password', () => {
  test('of a client or a host that the server refuses', async () => {
    const processes = await serverWith('authorization { users: [{ user: ann, password: right }] }');
    const url = `nats://ann:wr0ng@${processes.nats}`;
    const refused = await connect({ nats: url }).catch((error: Error) => error);
    expect(String(refused)).toMatch(/furcate: .*[Aa]uthorization/);
    expect(JSON.stringify(refused) + String((refused as Error).stack)).not.toContain('wr0ng');
    const host = processes.startHostProgram({ NATS_URL: url }, 'A');
    await host.says(/goes on trying/);
    await host.end();
    expect(host.output).toMatch(/[Aa]uthorization/);
    expect(host.output).not.toContain('wr0ng');
  });

  test('and none is taken from the arguments, where every user of the machine can read it', async () => {
    const processes = new Processes();
    all.push(processes);
    const host = processes.startHostProgram({}, 'A', '--nats', 'nats://ann:s3cret@127.0.0.1:1');
    expect(await host.ended).toBe(2);
    expect(host.output).toMatch(/--nats has a user and a password.*NATS_URL/);
    expect(host.output).not.toContain('s3cret');
  });

  test('of a file that is no JSON', async () => {
    const processes = new Processes();
    all.push(processes);
    const options = file(processes, 'options.json', '{ "pass": "s3cret", }');
    const host = processes.startHostProgram({}, 'A', '--nats', '127.0.0.1:1', '--nats-options', options);
    expect(await host.ended).toBe(2);
    expect(host.output).toMatch(/--nats-options must be a file of JSON/);
    expect(host.output).not.toContain('s3cret');
  });
});
