import vm from 'node:vm';
import { describe, expect, test } from 'vitest';
import { DROP, LONG_ARRAY } from '../../../../src/core/code/data-contents.js';
import { Copier, type CopyRule, openData, packError } from '../../../../src/core/code/data-copy.js';
import { functionMark } from '../../../../src/core/code/data-marks.js';
import { isError, isPlain } from '../../../../src/core/code/object-kind.js';
import { resolver } from '../../../../src/core/code/resolver.js';
import { LONG_ARRAY as LONG_ARRAY_OF_CODEC } from '../../../../src/core/platform/codec/format.js';

const copyBy = (rule: CopyRule, value: unknown): unknown => new Copier().copy(value, rule, (path) => `x${path}`);
const copy = (value: unknown): unknown =>
  copyBy((_, what) => {
    throw new Error(`asked about ${what}`);
  }, value);

describe('a copy of data', () => {
  test.each([
    [{ a: 1, b: 'x', c: null, d: undefined, e: true, f: 12n, g: Number.NaN, h: -0 }],
    [[1, [2, [3]], { a: [] }]],
    [
      new Map<unknown, unknown>([
        ['a', { b: 1 }],
        [{ k: 1 }, [2]],
      ]),
    ],
    [new Set([1, 'a', { b: 1 }])],
    [{ date: new Date(12345), broken: new Date(Number.NaN), re: /a\/b"/giu }],
    [[Object(1), Object('x'), Object(false), Object(3n)]],
    ['text'],
    [undefined],
    [null],
    [{ 'furcate:mark': 'function', value: 3, nested: { 'furcate:mark': 'verbatim' } }],
    [[{ 'furcate:mark': 'verbatim', value: { 'furcate:mark': 'x' } }]],
  ])('is equal to it, and opens to an equal: %#', (value) => {
    expect(structuredClone(copy(value)) === undefined).toBe(value === undefined);
    const opened = openData(structuredClone(copy(value)));
    expect(opened).toEqual(value);
    expect(Object.is(opened, value)).toBe(typeof value !== 'object' || value === null);
  });

  test('keeps holes, cycles and shared references', () => {
    const shared = { n: 1 };
    const value: Record<string, unknown> = { a: shared, b: shared, holes: Object.assign([1], { 2: 3 }) };
    value['self'] = value;
    const opened = openData(copy(value)) as typeof value;
    expect(opened['self']).toBe(opened);
    expect(opened['a']).toBe(opened['b']);
    expect(1 in (opened['holes'] as unknown[])).toBe(false);
  });

  test('keeps what an array has besides its elements, unless it is very long', () => {
    const match = /(?<first>a)(b)?/d.exec('xab') as RegExpExecArray;
    const opened = openData(copy([match])) as [typeof match];
    expect(opened[0]).toEqual(match);
    expect({ ...opened[0] }).toEqual({ ...match });
    const holey = Object.assign([1, 2, 3], { more: 1 });
    delete (holey as number[])[1];
    expect({ ...(openData(copy(holey)) as object) }).toStrictEqual({ 0: 1, 2: 3, more: 1 });
    const lengths = [LONG_ARRAY, LONG_ARRAY + 1];
    const kept = lengths.map(
      (length) => openData(copy(Object.assign(new Array(length).fill(0), { more: 1 }))) as object,
    );
    expect(kept.map((array) => 'more' in array)).toEqual([true, false]);
    expect(LONG_ARRAY).toBe(LONG_ARRAY_OF_CODEC);
  });

  test('keeps a property of an array that looks like a mark', () => {
    const value = Object.assign([1], { 'furcate:mark': 'error', fields: {} });
    expect({ ...(openData(structuredClone(copy(value))) as object) }).toEqual({ ...value });
  });

  test('names a part of an array that is not an element', () => {
    const value = { list: Object.assign([0], { 'a-b': [() => 1] }) };
    expect(() => copyBy((_, _what, where) => expect.fail(where()), value)).toThrow('x.list["a-b"][0]');
  });

  test('keeps cycles through an object that looks like a mark', () => {
    const value: Record<string, unknown> = { 'furcate:mark': 'x' };
    value['self'] = value;
    const opened = openData(structuredClone(copy({ value }))) as { value: typeof value };
    expect(opened.value['self']).toBe(opened.value);
    expect(opened.value['furcate:mark']).toBe('x');
  });

  test('opens where its objects are of another realm, as those of Node are in a sandbox', () => {
    const { clone } = vm.runInNewContext('({ clone: (text) => JSON.parse(text) })') as { clone(text: string): unknown };
    const error = openData(clone(JSON.stringify(packError(new RangeError('far', { cause: [{ deep: 1 }] }))))) as Error;
    expect(error).toBeInstanceOf(RangeError);
    expect(error.cause).toStrictEqual([{ deep: 1 }]);
    const marked = { a: [{ 'furcate:mark': 'error', value: {} }] };
    expect(openData(copy(clone(JSON.stringify(marked))))).toStrictEqual(marked);
    expect(openData(clone(JSON.stringify(copy(marked))))).toStrictEqual(marked);
  });

  test('takes an object without a prototype for no mark', () => {
    const value = Object.assign(Object.create(null) as object, { 'furcate:mark': 'error', fields: {} });
    expect(openData(copy(value))).toStrictEqual({ 'furcate:mark': 'error', fields: {} });
  });

  test('does not let __proto__ become the prototype', () => {
    const value = JSON.parse('{ "__proto__": { "polluted": true } }') as object;
    const opened = openData(copy(value)) as { polluted?: boolean };
    expect(Object.keys(opened)).toEqual(['__proto__']);
    expect(opened.polluted).toBeUndefined();
    expect(Object.getPrototypeOf(opened)).toBe(Object.prototype);
  });

  test('has the own enumerable properties of an instance that an error holds, where its class is not registered', () => {
    class Point {
      x = 1;
      get length(): number {
        return 2;
      }
    }
    const { at } = openData(packError(Object.assign(new Error('e'), { at: new Point() }))) as { at: object };
    expect(at).toEqual({ x: 1 });
    expect(Object.getPrototypeOf(at)).toBe(Object.prototype);
  });

  test('leaves out the causes of a hundred errors and more, because serializers recurse', () => {
    let error = new Error('innermost');
    for (let i = 0; i < 200; i++) error = new Error(`${i}`, { cause: error });
    let depth = 0;
    for (let e = openData(structuredClone(packError(error))) as Error; e !== undefined; e = e.cause as Error) depth++;
    expect(depth).toBe(100);
  });

  test('is marked where something in it has a mark, and by no object that only looks like one', () => {
    const isMarked = (value: unknown): boolean => {
      const copier = new Copier();
      copier.copy(value, () => DROP, String);
      return copier.isMarked;
    };
    expect([{}, [new Error('e')], { 'furcate:mark': 'error' }].map(isMarked)).toEqual([false, true, false]);
  });

  test('sees through values of another realm, and through tags that lie', () => {
    const external = vm.runInNewContext(
      '({ list: [1], map: new Map([[1, { a: 2 }]]), when: new Date(5), re: /x/g })',
    ) as object;
    expect(copy(external)).toEqual({ list: [1], map: new Map([[1, { a: 2 }]]), when: new Date(5), re: /x/g });
    class NoMap {
      n = 1;
      get [Symbol.toStringTag](): string {
        return 'Map';
      }
    }
    class NoSet {
      get [Symbol.toStringTag](): string {
        return 'Set';
      }
    }
    const holder = Object.assign(new Error('e'), { list: [new NoMap(), new NoSet()] });
    expect(openData(packError(holder))).toHaveProperty('list', [{ n: 1 }, {}]);
  });

  test('asks about the rest, with its path, and leaves out what it is told to', () => {
    const asked: string[] = [];
    const rule: CopyRule = (_, what, where) => {
      asked.push(`${what} ${where()}`);
      return DROP;
    };
    const value = {
      f: () => 1,
      list: [1, Symbol('s'), Promise.resolve()],
      map: new Map<unknown, unknown>([
        ['a', () => 1],
        [Symbol('k'), 1],
        ['kept', 2],
      ]),
      set: new Set([new WeakMap(), 3]),
      view: new Uint8Array(1),
    };
    expect(copyBy(rule, value)).toEqual({
      list: [1, undefined, undefined],
      map: new Map([['kept', 2]]),
      set: new Set([3]),
    });
    expect(asked).toEqual([
      'a function x.f',
      'a symbol x.list[1]',
      'a Promise x.list[2]',
      'a function x.map.get("a")',
      'a symbol x.map (key Symbol(k) of the Map)',
      'a WeakMap x.set (a member of the Set)',
      'a Uint8Array x.view',
    ]);
  });

  test('opens marks to what they stand for', () => {
    const twice = (x: number): number => 2 * x;
    const code = resolver().adoptSource(String(twice), twice);
    const shipped = copyBy(() => functionMark(code), { f: () => 1, deep: [{ g: () => 1 }] });
    expect(openData(structuredClone(shipped))).toEqual({ f: twice, deep: [{ g: twice }] });
  });
});

test('errors are known in any realm, and by inheritance', () => {
  class Own extends TypeError {}
  const old = Object.create(Error.prototype) as object;
  for (const error of [new Error(), new Own(), vm.runInNewContext('new RangeError("x")'), new DOMException('x'), old]) {
    expect(isError(error)).toBe(true);
  }
  for (const value of [{}, { message: 'x', stack: 'y' }, null, 'Error', new Date(), new Uint8Array(1), [], new Map()]) {
    expect(isError(value)).toBe(false);
  }
});

test('plain objects are known in any realm', () => {
  for (const value of [{}, Object.create(null), vm.runInNewContext('({})')])
    expect(isPlain(value as object)).toBe(true);
  for (const value of [new Date(), new (class A {})(), new Map(), Object.create({})])
    expect(isPlain(value as object)).toBe(false);
});
