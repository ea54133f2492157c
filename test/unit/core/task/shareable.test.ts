import { beforeAll, describe, expect, test } from 'vitest';
import { registerClass } from '../../../../src/core/code/value-class.js';
import { sharedArray } from '../../../../src/core/memory/shared-array.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { RecursiveTask } from '../../../../src/core/task/fork-join-task.js';
import { ShareCheck } from '../../../../src/core/task/shareable.js';

registerHost(detectNode);

class Vec {
  x = 1;
}
class Unknown {
  x = 1;
}
class Nothing extends RecursiveTask<number> {
  compute(): number {
    return 1;
  }
}
beforeAll(() => registerClass(import.meta.url, 'Vec', Vec));

const inField = (value: unknown): ReturnType<ShareCheck['inField']> => new ShareCheck().inField(value);
const inResult = (value: unknown): ReturnType<ShareCheck['inResult']> => new ShareCheck().inResult(value);

test('plain data passes, however it hangs together', () => {
  const cyclic: unknown[] = [1, 'x', null, undefined, new Date(), /x/, 1n, new Error('e'), sharedArray(Int8Array, 2)];
  cyclic.push(
    cyclic,
    new Map([[cyclic, cyclic]]),
    new Set([cyclic]),
    Object.create(null),
    new Int8Array(new SharedArrayBuffer(1)),
  );
  expect(inField({ cyclic })).toBe(undefined);
  expect(inResult({ cyclic })).toBe(undefined);
  const textless = { toString: undefined };
  expect(inField([new Set([textless]), new Map([[textless, textless]])])).toBe(undefined);
});

test.each<[string, unknown, string, RegExp]>([
  ['a function', () => 1, '', /function/],
  ['a symbol', Symbol('s'), '', /symbol/],
  ['a typed array in an array', [0, [new Int8Array(1)]], '[1][0]', /Int8Array on unshared memory/],
  ['a DataView', { view: new DataView(new ArrayBuffer(1)) }, '.view', /DataView/],
  ['an ArrayBuffer', { b: new ArrayBuffer(1) }, '.b', /ArrayBuffer/],
  ['a promise', { p: Promise.resolve() }, '.p', /Promise/],
  ['a value of a Map', { m: new Map([['k', () => 1]]) }, '.m.k', /function/],
  ['a key of a Map', { m: new Map([[() => 1, 'v']]) }, 'a key of .m', /function/],
  ['an element of a Set', { s: new Set([new WeakMap()]) }, 'an element of .s', /WeakMap/],
  ['a value under an object', { m: new Map([[{}, () => 1]]) }, '.m, under a key that is an object', /function/],
  ['an instance of a class', { deep: [new Unknown()] }, '.deep[0]', /instance of Unknown/],
  ['a URL', { u: new URL('http://x.org') }, '.u', /URL/],
  ['a task', { t: new Nothing() }, '.t', /a task/],
])('the place of %s in a field is named', (_, value, path, reason) => {
  const found = inField(value);
  expect(found?.path).toBe(path);
  expect(found?.reason).toMatch(reason);
});

describe('a result', () => {
  test('may hold copies of arrays and buffers', () => {
    expect(
      inResult({ xs: new Float64Array(2), buffer: new ArrayBuffer(2), view: new DataView(new ArrayBuffer(1)) }),
    ).toBe(undefined);
  });

  test.each<[string, unknown, string]>([
    ['an instance of a class', { deep: new Map([['a', new Unknown()]]) }, '.deep.a'],
    ['a task', [new Nothing()], '[0]'],
    ['a URL', [new URL('http://x.org')], '[0]'],
  ])('must not hold %s, which would arrive as something else', (_, value, path) => {
    expect(inResult(value)?.path).toBe(path);
  });

  test('does not excuse what a field holds as well', () => {
    const check = new ShareCheck();
    const xs = new Float64Array(1);
    expect(check.inResult({ xs })).toBe(undefined);
    expect(check.inField({ xs })?.path).toBe('.xs');
  });
});

test('instances of registered classes pass, and their classes are noted once', () => {
  const check = new ShareCheck();
  expect(check.inField([new Vec(), { deep: new Vec() }])).toBe(undefined);
  expect(check.classes.size).toBe(1);
  expect(check.inField([1])).toBe(undefined);
});
