import { beforeAll, describe, expect, test } from 'vitest';
import { Copier, type CopyRule } from '../../../../src/core/code/data-copy.js';
import { registerClass } from '../../../../src/core/code/value-class.js';
import { sharedArray } from '../../../../src/core/memory/shared-array.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { RecursiveTask } from '../../../../src/core/task/fork-join-task.js';
import { inResult, inTask } from '../../../../src/core/task/shareable.js';

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

/** The refusal of a value, as errors show it; undefined for a value that can cross. */
function refusal(value: unknown, rule: CopyRule): string | undefined {
  try {
    new Copier().copy(value, rule, (path) => `[${path}]`);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

test('plain data passes, however it hangs together', () => {
  const cyclic: unknown[] = [1, 'x', null, undefined, new Date(), /x/, 1n, new Error('e'), sharedArray(Int8Array, 2)];
  cyclic.push(
    cyclic,
    new Map([[cyclic, cyclic]]),
    new Set([cyclic]),
    Object.create(null),
    new Int8Array(new SharedArrayBuffer(1)),
  );
  expect(refusal({ cyclic }, inTask)).toBe(undefined);
  expect(refusal({ cyclic }, inResult)).toBe(undefined);
  const textless = { toString: undefined };
  expect(refusal([new Set([textless]), new Map([[textless, textless]])], inTask)).toBe(undefined);
});

test.each<[string, unknown, string, RegExp]>([
  ['a function', () => 1, '', /function/],
  ['a symbol', Symbol('s'), '', /symbol/],
  ['a typed array in an array', [0, [new Int8Array(1)]], '[1][0]', /Int8Array on unshared memory/],
  ['a DataView', { view: new DataView(new ArrayBuffer(1)) }, '.view', /DataView/],
  ['an ArrayBuffer', { b: new ArrayBuffer(1) }, '.b', /ArrayBuffer/],
  ['a promise', { p: Promise.resolve() }, '.p', /Promise/],
  ['a value of a Map', { m: new Map([['k', () => 1]]) }, '.m.get("k")', /function/],
  ['a key of a Map', { m: new Map([[() => 1, 'v']]) }, '.m (key a function of the Map)', /function/],
  ['an element of a Set', { s: new Set([new WeakMap()]) }, '.s (a member of the Set)', /WeakMap/],
  ['a value under an object', { m: new Map([[{}, () => 1]]) }, '.m.get(an object)', /function/],
  ['an instance of a class', { deep: [new Unknown()] }, '.deep[0]', /instance of Unknown/],
  ['a URL', { u: new URL('http://x.org') }, '.u', /URL/],
  ['a task', { t: new Nothing() }, '.t', /a task/],
])('the place of %s in a field is named', (_, value, path, reason) => {
  const found = refusal(value, inTask);
  expect(found).toContain(`[${path}] is a`);
  expect(found).toMatch(reason);
});

describe('a result', () => {
  test('may hold copies of arrays and buffers', () => {
    const value = { xs: new Float64Array(2), buffer: new ArrayBuffer(2), view: new DataView(new ArrayBuffer(1)) };
    expect(refusal(value, inResult)).toBe(undefined);
  });

  test.each<[string, unknown, string]>([
    ['an instance of a class', { deep: new Map([['a', new Unknown()]]) }, '.deep.get("a")'],
    ['a task', [new Nothing()], '[0]'],
    ['a URL', [new URL('http://x.org')], '[0]'],
  ])('must not hold %s, which would arrive as something else', (_, value, path) => {
    expect(refusal(value, inResult)).toContain(`[${path}] is a`);
  });

  test('may hold what a field has held', () => {
    const copier = new Copier();
    const list = [1];
    const copy = copier.copy(list, inTask, String);
    expect((copier.copy({ list }, inResult, String) as { list: unknown }).list).toBe(copy);
  });
});

test('an error does not excuse what a field holds as well', () => {
  const xs = new Float64Array(1);
  expect(refusal([Object.assign(new Error('e'), { xs }), xs], inTask)).toMatch(/^furcate: \[\[0\]\.xs\]|\[\[1\]\]/);
});

test('instances of registered classes pass, and their classes are noted once', () => {
  const copier = new Copier();
  copier.copy([new Vec(), { deep: new Vec() }], inTask, String);
  expect(copier.codes.size).toBe(1);
});
