import { serialize } from 'node:v8';
import { expect, test } from 'vitest';
import { keyOf, workOf } from '../../../../src/cluster/client/work.js';
import { hostFunction } from '../../../../src/cluster/host-function.js';
import { nodeDigest } from '../../../../src/cluster/split.js';
import { forkable, RecursiveTask } from '../../../../src/core/index.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { task } from '../../../../src/core/task/task.js';

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

class Held extends RecursiveTask<unknown> {
  static {
    this.register(import.meta.url, 'Held');
  }
  readonly held: unknown;
  constructor(held: unknown) {
    super();
    this.held = held;
  }
  compute(): unknown {
    return this.held;
  }
}
const give = forkable(import.meta.url, 'give', (value: unknown) => value);

/** Equal values that V8 holds in two ways, and writes in two ways. */
function inTwoWays(): readonly (readonly [what: string, one: unknown, other: unknown])[] {
  const doubles = [0.5];
  doubles[0] = 4;
  const wide = 'ab\u4e00'.slice(0, 2);
  const sparse: number[] = [];
  sparse[100_000] = 0;
  sparse.length = 0;
  sparse.push(4);
  return [
    ['an integer among doubles', [4], doubles],
    ['a text that was cut from a wider one', 'ab', wide],
    ['an array that was sparse', [4], sparse],
  ];
}

test.each(inTwoWays())('%s has the digest of its equal, as a field, an argument and a node', (_, one, other) => {
  expect(one).toEqual(other);
  expect(serialize(one).equals(serialize(other))).toBe(false); // else it shows nothing
  const host = double('file:///here/tasks.mjs', 'ways');
  expect(keyOfCall(host, other)).toBe(keyOfCall(host, one));
  const digests = (value: unknown): string[] => [
    workOf('cluster.invoke', new Held(value), []).digest,
    workOf('cluster.invoke', task(give, value), []).digest,
    nodeDigest(new Held(value)),
  ];
  expect(digests(other)).toEqual(digests(one));
  expect(new Set([...digests(one), ...digests([5])]).size).toBe(4);
});
