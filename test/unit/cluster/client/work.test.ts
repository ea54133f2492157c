import { expect, test } from 'vitest';
import { keyOf, workOf } from '../../../../src/cluster/client/work.js';
import { hostFunction } from '../../../../src/cluster/host-function.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';

registerHost(detectNode);

const double = (url: string, name: string) => hostFunction(url, name, (x: unknown) => x);
const keyOfCall = (work: unknown, argument: unknown): string => keyOf('0', workOf('cluster.invoke', work, [argument]));

test('a call of a host function has the same key wherever its module lies, and another one for another name or argument', () => {
  const here = double('file:///here/tasks.mjs', 'double');
  const key = keyOfCall(here, 7);
  expect(keyOfCall(double('file:///there/tasks.mjs', 'double'), 7)).toBe(key);
  expect(keyOfCall(here, 8)).not.toBe(key);
  expect(keyOfCall(double('file:///here/tasks.mjs', 'other'), 7)).not.toBe(key);
});

test('an argument that cannot cross is named by its own path', () => {
  const host = double('file:///here/tasks.mjs', 'wrong');
  expect(() => workOf('cluster.invoke', host, [{ a: { b: () => 1 } }])).toThrow(
    /the argument of host function 'wrong' \(at \.?a\.b\)/,
  );
});
