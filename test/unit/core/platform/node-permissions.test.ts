/** What a process may not read. */
import { expect, test } from 'vitest';
import { permissionFor, variable } from '../../../../src/core/platform/node-permissions.js';

class NotCapable extends Error {
  override readonly name = 'NotCapable';
}

/** As Deno's is without --allow-env. */
const closed = new Proxy({} as NodeJS.ProcessEnv, {
  get(_, name) {
    throw new NotCapable(`Requires env access to "${String(name)}", run again with the --allow-env flag`);
  },
});

test('a variable that may not be read is not set', () => {
  expect(variable('A', { A: 'b' })).toBe('b');
  expect([variable('A', {}), variable('A', closed)]).toEqual([undefined, undefined]);
});

test('an error that a missing permission has made names the flag', () => {
  const denied = Object.assign(new Error('Access to this API has been restricted'), { code: 'ERR_ACCESS_DENIED' });
  expect(permissionFor(new NotCapable('Requires read access'))).toContain('Deno with --allow-read');
  expect(permissionFor(denied)).toContain('--allow-fs-read');
  expect(permissionFor(Object.assign(new Error('no such file'), { code: 'ENOENT' }))).toBeUndefined();
  expect(permissionFor(undefined)).toBeUndefined();
});
