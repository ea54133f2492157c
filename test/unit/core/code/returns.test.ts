/** The texts of asynchronous inline functions hand over what they return, and mean the same otherwise. */
import { expect, test } from 'vitest';
import { compileSource } from '../../../../src/core/code/compile.js';
import { sourceOf } from '../../../../src/core/code/function-source.js';
import { receiving } from '../../../../src/core/code/returns.js';

type Fn = (...args: unknown[]) => unknown;
const made = (text: string): Fn => new Function(`return (${text})`)() as Fn;
const shipped = (text: string): Fn =>
  compileSource(sourceOf(made(text), 'fn', { mayAwait: true, mayYield: true })) as never;

/** What a call gives, and what it has handed over before. */
async function callOf(text: string, x: unknown): Promise<{ given: unknown; handed: unknown[] }> {
  const handed: unknown[] = [];
  const note = (value: unknown): void => void handed.push(value);
  const receiver = {
    set result(value: unknown) {
      note(value);
    },
    set item(value: unknown) {
      note(value);
    },
  };
  const given = await receiving(receiver, () => shipped(text)(x));
  return { given, handed };
}

test.each([
  ['async (x) => [x]', [[3]]],
  ['async x => ({ x })', [{ x: 3 }]],
  ['async (x) => await [x]', [[3]]],
  ['async x => { return [x]; }', [[3]]],
  ['async x => { "use strict"; return [x] }', [[3]]],
  ['async function (x) { if (x > 2) return [x]; return { x }; }', [[3]]],
  ['async function f(x) { for (const y of [x]) { switch (y) { case 3: return [y]; default: return 0; } } }', [[3]]],
  ['async function f(x) { try { return [x]; } catch { return 1; } finally { await 0; } }', [[3]]],
  ['({ async f(x) { return [x]; } }).f', [[3]]],
  [
    'async (x) => { const f = () => { return 1; }; const g = function () { return 2; }; return [f(), g(), x]; }',
    [[1, 2, 3]],
  ],
  [
    'async (x) => { class A { m() { return 1; } } const o = { m(a) { return a; }, get n() { return 2; }, return() { return 3; } }; return [new A().m(), o.m(x), o.n, o.return()]; }',
    [[1, 3, 2, 3]],
  ],
  ['async (x) => { const o = { return: 1 }; return [o.return, x]; }', [[1, 3]]],
  ['async (x) => { const all = [x].map(async (y) => { return y; }); return await Promise.all(all); }', [[3]]],
  ['async (x) => { return x => x; }', undefined],
  ['async (x) => { return `return 1` + x; }', ['return 13']],
  ['async (x) => { return /return 1/.test("return 1") ? [x] : x; }', [[3]]],
  ['async function f(x) { return x > 0 ? await f(x - 3) : [x]; }', [[0]]],
])('%s', async (text, handed) => {
  const plain = await made(text)(3);
  const call = await callOf(text, 3);
  if (typeof plain === 'function') expect(call.handed).toEqual([call.given]);
  else {
    expect(call.given).toEqual(plain);
    expect(call.handed).toEqual(handed);
    if (typeof plain === 'object') expect(call.handed[0]).toBe(call.given);
  }
});

test.each([
  'async (x) => {}',
  'async (x) => { return; }',
  'async (x) => { if (x) { return } }',
  'async (x) => { return\n[x]; }',
])('nothing is handed over by %s', async (text) => {
  expect(await callOf(text, 3)).toEqual({ given: undefined, handed: [] });
});

test('of several expressions the last one is the result, and who takes it sees that another value was handed over', async () => {
  const { given, handed } = await callOf('async (x) => { return [1], [x]; }', 3);
  expect(given).toEqual([3]);
  expect(handed).toEqual([[1]]);
});

test('an asynchronous generator hands over its items, and not what it passes on', async () => {
  const text =
    'async function* (x) { const got = yield [x]; yield* [1, 2]; const f = function* () { yield 5; }; yield { got, f: [...f()] }; yield; return 9; }';
  const handed: unknown[] = [];
  const receiver = {
    set result(_: unknown) {},
    set item(value: unknown) {
      handed.push(value);
    },
  };
  const generator = shipped(text)(3) as AsyncGenerator<unknown>;
  const items = [(await receiving(receiver, () => generator.next())).value];
  items.push((await generator.next('got')).value);
  for await (const item of generator) items.push(item);
  expect(items).toEqual([[3], 1, 2, { got: 'got', f: [5] }, undefined]);
  expect(handed).toEqual([[3], { got: 'got', f: [5] }]);
});

test('a call that nobody has prepared hands over to nobody', async () => {
  expect(await shipped('async (x) => [x]')(3)).toEqual([3]);
});
