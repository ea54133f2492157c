/** Where the server is, and who connects: what programs say of it, and what of it may be shown. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as transport from '@nats-io/transport-node';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { connectionOptions, hasSecret, shownServers } from '../../../../src/cluster/link/server.js';

const folder = mkdtempSync(join(tmpdir(), 'furcate-server-'));
afterAll(() => rmSync(folder, { recursive: true }));

const options = (nats: Parameters<typeof connectionOptions>[1]) => connectionOptions(transport, nats);

test('a URL says who connects, and the server gets it without', () => {
  expect(options('nats://ann:s3cr%3At@db:4222')).toEqual({ servers: ['nats://db:4222'], user: 'ann', pass: 's3cr:t' });
  expect(options(['a:1', 'ann:p@s/s@b:2'])).toEqual({ servers: ['a:1', 'b:2'], user: 'ann', pass: 'p@s/s' });
  expect(options('tls://s3cret@db')).toEqual({ servers: ['tls://db'], token: 's3cret' });
  expect(options('db:4222')).toEqual({ servers: ['db:4222'] });
  expect(options({ servers: 'db', user: 'bob', pass: 'x' })).toEqual({ servers: ['db'], user: 'bob', pass: 'x' });
  expect(options({})).toEqual({ servers: ['localhost:4222'] });
});

test('no secret is shown, whatever it is', () => {
  const secret = fc.string({ minLength: 1 }).map((text) => `secret-${text}`);
  fc.assert(
    fc.property(secret, fc.constantFrom('nats://', 'tls://', 'wss://', ''), (pass, scheme) => {
      for (const url of [`${scheme}ann:${pass}@db:4222`, `${scheme}${pass}@db:4222`]) {
        expect(hasSecret(url)).toBe(true);
        expect(shownServers(url)).toBe(`${scheme}db:4222`);
        expect(shownServers({ servers: [url, 'other'] })).toBe(`${scheme}db:4222, other`);
      }
    }),
  );
  expect(hasSecret('nats://db:4222')).toBe(false);
});

test('files of credentials are read when a connection is made, and again at the next', () => {
  const file = join(folder, 'token');
  writeFileSync(file, ' one\n');
  const { authenticator } = options({ servers: 'db', tokenFile: file });
  const [authenticate] = authenticator as transport.Authenticator[];
  expect(authenticate?.()).toEqual({ auth_token: 'one' });
  writeFileSync(file, 'two');
  expect(authenticate?.()).toEqual({ auth_token: 'two' });
  rmSync(file); // while it is replaced
  expect(authenticate?.()).toEqual({ auth_token: 'two' });
});

test('a file that is not there, or empty, is an error that names the option', () => {
  const file = join(folder, 'none');
  expect(() => options({ credsFile: file })).toThrow(/furcate: options\.nats\.credsFile: .*none cannot be read/);
  writeFileSync(file, '');
  expect(() => options({ nkeyFile: file })).toThrow(/furcate: options\.nats\.nkeyFile: .*it is empty/);
  writeFileSync(file, 'secret');
  expect(() => options({ passFile: file })).toThrow(/passFile needs options\.nats\.user/);
});
