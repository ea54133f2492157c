import vm from 'node:vm';
import { expect, test } from 'vitest';
import { adopt } from '../../../../src/core/platform/realm.js';

/** What another realm makes of an expression, and a function of that realm. */
function far(expression: string): [value: unknown, maker: () => void] {
  return vm.runInNewContext(`[${expression}, () => {}]`) as [unknown, () => void];
}

test.each([
  ['Object', '{}'],
  ['Array', '[]'],
  ['Map', 'new Map()'],
  ['Set', 'new Set()'],
  ['Date', 'new Date(0)'],
  ['RegExp', '/a/g'],
  ['Number', 'Object(1)'],
  ['String', 'Object("text")'],
  ['Boolean', 'Object(false)'],
  ['BigInt', 'Object(1n)'],
  ['ArrayBuffer', 'new ArrayBuffer(8)'],
  ['Error', 'new Error("x")'],
  ['RangeError', 'new RangeError("x")'],
  ['AggregateError', 'new AggregateError([], "x")'],
])('%s of another realm becomes one of this realm, wherever it is', (name, expression) => {
  const prototype = (globalThis as unknown as Record<string, { prototype: object }>)[name]?.prototype;
  const [places, maker] = far(`[x => x, x => [x], x => ({ a: { x } }), x => new Map([[x, 0]]), x => new Map([[0, x]]),
    x => new Set([x]), x => new Error('', { cause: x }), x => new AggregateError([[x]])]
    .map((place) => { const x = ${expression}; return { x, within: place(x) }; })`);
  for (const { x, within } of places as { x: object; within: object }[]) {
    adopt(within, maker);
    expect(Object.getPrototypeOf(x)).toBe(prototype);
  }
});

test('a value of another realm stays the same object, with its cycles, however deep it is', () => {
  const [value, maker] = far(
    '(() => { let end = {}; end.top = end; for (let i = 0; i < 1e5; i++) end = { end }; return end })()',
  );
  expect(adopt(value, maker)).toBe(value);
  let deepest = value as { end?: object; top?: object };
  while (deepest.end !== undefined) deepest = deepest.end;
  expect(deepest).toBeInstanceOf(Object);
  expect(deepest.top).toBe(deepest);
});

test('views, and what a function of this realm has made, stay as they are', () => {
  const [view, maker] = far('{ view: new Float64Array(2) }');
  adopt(view, maker);
  expect((view as { view: object }).view).not.toBeInstanceOf(Float64Array);
  const [value] = far('{}');
  adopt(value, () => {});
  expect(value).not.toBeInstanceOf(Object);
  for (const plain of [1, 'text', null, undefined, 3n]) expect(adopt(plain, maker)).toBe(plain);
});
