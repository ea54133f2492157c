import { describe, expect, test, vi } from 'vitest';
import { CodeRegistry, register } from '../../../../src/core/code/registry.js';
import { CodeResolver, resolver, useResolver } from '../../../../src/core/code/resolver.js';
import { compiled, openContext, shipContext, shipFunction } from '../../../../src/core/code/source.js';
import { CodeTable } from '../../../../src/core/code/table.js';
import { PlainStorage } from '../../../../src/core/code/table-storage.js';
import { NotShareableError, TaskRegistrationError } from '../../../../src/core/errors.js';
import { sharedArray } from '../../../../src/core/memory/shared-array.js';

const URL_A = 'file:///app/source-test.js';
const square = (x: number): number => x * x;

type Numbers = (...args: number[]) => number;
const roundTrip = (context: unknown): Record<string, unknown> =>
  openContext(structuredClone(shipContext(context, 'context')));
const refusal = (context: unknown): Error => {
  try {
    shipContext(context, 'context');
  } catch (error) {
    return error as Error;
  }
  throw new Error('accepted');
};

describe('a shipped function', () => {
  test('is plain data, and comes out recompiled', () => {
    const ship = shipFunction(square, 'fn');
    expect(structuredClone(ship)).toEqual({ code: ship.code });
    const there = compiled(structuredClone(ship)) as Numbers;
    expect(there(3)).toBe(9);
    expect(there).not.toBe(square);
  });

  test('is the same for the same source, whichever object it came from', () => {
    const make = (): Numbers => (x) => x + 1;
    const [a, b] = [shipFunction(make(), 'fn'), shipFunction(make(), 'fn')];
    expect(a).toBe(b); // checked and compiled once
    expect(compiled(a)).toBe(compiled(b));
    expect(shipFunction(((x: number) => x + 2) as Numbers, 'fn')).not.toEqual(a);
  });

  test('does not see what it captured, on the caller neither', () => {
    const factor = 2;
    const f = compiled(shipFunction((x: number) => x * factor, 'fn')) as Numbers;
    expect(() => f(1)).toThrow(ReferenceError);
  });

  test('travels by its registration when it is a forkable, and is itself', () => {
    const captured = 3;
    const f = (x: number): number => x * captured;
    const entry = register('function', URL_A, 'f', f);
    const ship = shipFunction(f, 'fn');
    expect(resolver().table.entry(ship.code)).toMatchObject({ kind: 'function', url: URL_A, name: 'f' });
    expect(compiled(ship)).toBe(f);
    expect(resolver().table.idOfRegistration(entry)).toBe(ship.code);
  });

  test('is not to be had where its module is not loaded', () => {
    const code = resolver().table.idOf('function', URL_A, 'elsewhere');
    expect(() => compiled({ code })).toThrow(TaskRegistrationError);
    expect(() => compiled({ code })).toThrow(/'elsewhere' of file:\/\/\/app\/source-test\.js is not loaded/);
  });

  test('is refused by name where it does not compile in strict mode, and leaves no entry', () => {
    const sloppy = new Function('return function (x) { with (x) { return 1; } }')() as Numbers;
    const before = resolver().table.idOf('shape', '', 'before');
    expect(() => shipFunction(sloppy, "parallelFor's body")).toThrow(TypeError);
    expect(() => shipFunction(sloppy, "parallelFor's body")).toThrow(/parallelFor's body .*strict mode.*`context`/);
    expect(resolver().table.idOf('shape', '', 'after')).toBe(before + 1);
  });

  test('is refused where it is none', () => {
    expect(() => shipFunction(5, "parallelFor's body")).toThrow(
      "furcate: parallelFor's body must be a function; it was 5.",
    );
  });

  test('is refused where compiling is forbidden, while a forkable goes through', () => {
    const f = register('function', URL_A, 'under CSP', (x: number) => x).value;
    vi.stubGlobal('Function', function refuse() {
      throw new EvalError('unsafe-eval');
    });
    expect(() => shipFunction((x: number) => x * 1234.5, 'fn')).toThrow(/forkable/);
    expect(compiled(shipFunction(f, 'fn'))).toBe(f);
    vi.unstubAllGlobals();
  });

  test('starts anew with another resolver', () => {
    const own = new CodeResolver(new CodeTable(new PlainStorage()), new CodeRegistry());
    shipFunction(square, 'fn');
    shipFunction((x: number) => x - 1, 'fn');
    useResolver(own);
    expect(shipFunction((x: number) => x - 1, 'fn').code).toBe(0);
    expect((compiled({ code: 0 }) as Numbers)(3)).toBe(2);
    useResolver(undefined);
  });
});

describe('a context', () => {
  test('may be left out', () => {
    expect(roundTrip(undefined)).toEqual({});
    expect(shipContext(undefined, 'context').codes).toEqual([]);
  });

  test('is copied, once when it is shipped and at each opening', () => {
    const original = { n: 1, deep: { list: [1, 2] } };
    const ship = shipContext(original, 'context');
    original.n = 2;
    original.deep.list.push(3);
    const [a, b] = [openContext(ship), openContext(ship)];
    expect(a).toEqual({ n: 1, deep: { list: [1, 2] } });
    (a['deep'] as { list: number[] }).list.push(4);
    expect(b).toEqual({ n: 1, deep: { list: [1, 2] } });
  });

  test('keeps shared arrays shared, as the very same view here', () => {
    const xs = sharedArray(Float64Array, 4);
    const raw = new Int32Array(new SharedArrayBuffer(16));
    const open = openContext(shipContext({ xs, deep: [{ raw }], part: xs.subarray(1, 2) }, 'context'));
    expect(open['xs']).toBe(xs);
    expect((open['deep'] as { raw: Int32Array }[])[0]?.raw).toBe(raw);
    (open['part'] as Float64Array)[0] = 7;
    expect(xs[1]).toBe(7);
  });

  test('carries functions as source, anywhere in it, and names their codes', () => {
    const inner = {
      scale: 10,
      f(x: number): number {
        return x * this.scale;
      },
    };
    const ship = shipContext(
      { add: (a: number, b: number) => a + b, inner, list: [square], map: new Map([['sq', square]]) },
      'context',
    );
    expect(ship.codes).toHaveLength(3);
    const open = openContext(structuredClone(ship)) as {
      add: Numbers;
      inner: { f: Numbers };
      list: Numbers[];
      map: Map<string, Numbers>;
    };
    expect([open.add(1, 2), open.inner.f(2), open.list[0]?.(3), open.map.get('sq')?.(4)]).toEqual([3, 20, 9, 16]);
  });

  test('carries forkables by registration', () => {
    const f = register('function', URL_A, 'in a context', (x: number) => x).value;
    const ship = shipContext({ f }, 'context');
    expect(openContext(ship)['f']).toBe(f);
    expect(ship.codes).toEqual([shipFunction(f, 'f').code]);
  });

  test('keeps errors with their class', () => {
    const error = roundTrip({ error: new RangeError('no') })['error'];
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toHaveProperty('message', 'no');
  });

  test('reads a getter once', () => {
    let reads = 0;
    roundTrip({
      get n() {
        return ++reads;
      },
    });
    expect(reads).toBe(1);
  });

  test.each([
    [
      { xs: new Float64Array(2) },
      'context.xs',
      /is a Float64Array that is not shared.*sharedArray\(Float64Array, \.\.\.\)/,
    ],
    [{ a: { b: [1, new Uint8Array(1)] } }, 'context.a.b[1]', /is a Uint8Array/],
    [{ 'odd name': new BigInt64Array(1) }, 'context["odd name"]', /is a BigInt64Array/],
    [{ m: new Map([['k', new Int8Array(1)]]) }, 'context.m.get("k")', /is an Int8Array/],
    [{ s: new Set([new Int8Array(1)]) }, 'context.s (a member of the Set)', /is an Int8Array/],
    [{ v: new DataView(new ArrayBuffer(8)) }, 'context.v', /is a DataView that is not shared.*a shared buffer/],
    [{ b: new ArrayBuffer(8) }, 'context.b', /is an ArrayBuffer.*sharedArray/],
    [{ p: Promise.resolve(1) }, 'context.p', /is a Promise.*Await it/],
    [{ w: new WeakMap() }, 'context.w', /is a WeakMap/],
    [{ w: new WeakRef({}) }, 'context.w', /is a WeakRef/],
    [{ s: Symbol('x') }, 'context.s', /is a symbol/],
    [{ g: (function* () {})() }, 'context.g', /is a Generator/],
    [{ i: [1].values() }, 'context.i', /is an Array Iterator/],
    [{ u: new URL('http://x.org') }, 'context.u', /is a URL/],
  ])('is refused for what cannot be given to workers, by its path: %#', (context, path, problem) => {
    const error = refusal(context) as NotShareableError;
    expect(NotShareableError.is(error)).toBe(true);
    expect(error.path).toBe(path);
    expect(error.message.startsWith(`furcate: ${path} is a`)).toBe(true);
    expect(error.message).toMatch(problem);
  });

  test.each([
    [null, 'null'],
    [1, 'number'],
    ['x', 'string'],
    [[], 'an array'],
    [new Map(), 'an instance of Map'],
    [() => 1, 'function'],
    [new (class Ctx {})(), 'an instance of Ctx'],
  ])('is a plain object: %o is refused', (context, shown) => {
    const error = refusal(context);
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^furcate: context must be a plain object/);
    expect(error.message).toContain(`it was ${shown}.`);
  });

  test('names the path of a function in it that cannot travel', () => {
    expect(refusal({ deep: { f: Math.sin } }).message).toMatch(/^furcate: context\.deep\.f cannot travel/);
    expect(refusal({ C: class A {} }).message).toMatch(
      /^furcate: context\.C cannot travel to the workers: it is a class/,
    );
  });

  test('of another realm or without a prototype is plain', () => {
    const bare = Object.assign(Object.create(null), { n: 1 });
    expect(roundTrip(bare)).toEqual({ n: 1 });
  });
});
