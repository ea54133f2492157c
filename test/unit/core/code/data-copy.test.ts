import vm from 'node:vm';
import { describe, expect, test } from 'vitest';
import { copyData, DROP, mark, openData as open } from '../../../../src/core/code/data-copy.js';
import { isError, isPlain } from '../../../../src/core/code/object-kind.js';

const refuse = (what: string) => (): never => {
  throw new Error(`asked about ${what}`);
};
const NO_RULES = {
  onFunction: refuse('a function'),
  onView: refuse('a view'),
  onError: refuse('an error'),
  onInstance: () => undefined,
  onOther: (_: unknown, what: string) => refuse(what)(),
};
const copy = (value: unknown): unknown => copyData(value, 'x', NO_RULES);
const openData = (value: unknown, readers: Parameters<typeof open>[1]['readers']): unknown =>
  open(value, { readers, newInstance: refuse('an instance') });

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
    const opened = openData(structuredClone(copy(value)), { function: refuse('a mark'), x: refuse('a mark') });
    expect(opened).toEqual(value);
    expect(Object.is(opened, value)).toBe(typeof value !== 'object' || value === null);
  });

  test('keeps holes, cycles and shared references', () => {
    const shared = { n: 1 };
    const value: Record<string, unknown> = { a: shared, b: shared, holes: Object.assign([1], { 2: 3 }) };
    value['self'] = value;
    const opened = openData(copy(value), {}) as typeof value;
    expect(opened['self']).toBe(opened);
    expect(opened['a']).toBe(opened['b']);
    expect(1 in (opened['holes'] as unknown[])).toBe(false);
  });

  test('keeps cycles through an object that looks like a mark', () => {
    const value: Record<string, unknown> = { 'furcate:mark': 'x' };
    value['self'] = value;
    const opened = openData(structuredClone(copy({ value })), { x: refuse('a mark') }) as { value: typeof value };
    expect(opened.value['self']).toBe(opened.value);
    expect(opened.value['furcate:mark']).toBe('x');
  });

  test('does not let __proto__ become the prototype', () => {
    const value = JSON.parse('{ "__proto__": { "polluted": true } }') as object;
    const opened = openData(copy(value), {}) as { polluted?: boolean };
    expect(Object.keys(opened)).toEqual(['__proto__']);
    expect(opened.polluted).toBeUndefined();
    expect(Object.getPrototypeOf(opened)).toBe(Object.prototype);
  });

  test('has the own enumerable properties of an instance, as structuredClone gives them, where its class is forgotten', () => {
    class Point {
      x = 1;
      get length(): number {
        return 2;
      }
    }
    expect(copy(new Point())).toEqual({ x: 1 });
    expect(Object.getPrototypeOf(copy(new Point()))).toBe(Object.prototype);
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
    expect(copy([new NoMap(), new NoSet()])).toEqual([{ n: 1 }, {}]);
  });

  test('asks about the rest, with its path, and leaves out what it is told to', () => {
    const asked: string[] = [];
    const drop = (_value: unknown, path: (() => string) | string, where?: () => string): unknown => {
      asked.push(typeof path === 'string' ? `${path} ${where?.()}` : path());
      return DROP;
    };
    const rules = { onFunction: drop, onView: drop, onError: drop, onInstance: drop, onOther: drop as never };
    const value = {
      f: () => 1,
      list: [1, Symbol('s'), new Error('e')],
      map: new Map<unknown, unknown>([
        ['a', () => 1],
        [Symbol('k'), 1],
        ['kept', 2],
      ]),
      set: new Set([new WeakMap(), 3]),
      view: new Uint8Array(1),
    };
    expect(copyData(value, 'v', rules)).toEqual({
      list: [1, undefined, undefined],
      map: new Map([['kept', 2]]),
      set: new Set([3]),
    });
    expect(asked).toEqual([
      'v.f',
      'a symbol v.list[1]',
      'v.list[2]',
      'v.map.get("a")',
      'a symbol v.map (key Symbol(k) of the Map)',
      'a WeakMap v.set (a member of the Set)',
      'v.view',
    ]);
  });

  test('opens marks to what they stand for', () => {
    const shipped = copyData({ f: () => 1, deep: [{ g: () => 1 }] }, 'x', {
      ...NO_RULES,
      onFunction: () => mark('function', 7),
    });
    expect(openData(structuredClone(shipped), { function: (n) => `code ${n}` })).toEqual({
      f: 'code 7',
      deep: [{ g: 'code 7' }],
    });
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
