/** What every codec of values does, and what the portable one does besides. */
import { types } from 'node:util';
import vm from 'node:vm';
import { describe, expect, test } from 'vitest';
import { NotShareableError } from '../../../../src/core/errors.js';
import type { ValueCodec, ViewCodec } from '../../../../src/core/platform/host.js';
import { portableCodec } from '../../../../src/core/platform/portable-codec.js';
import { CODECS } from '../../../helpers/codecs.js';
import { difference } from '../../../helpers/value-graphs.js';

const unshared: ViewCodec = { encode: () => undefined, decode: () => expect.fail('no view is shared') };
const portable = portableCodec(types.isProxy);

const through = (value: unknown, codec: ValueCodec = portable): unknown =>
  codec.deserialize(codec.serialize(value, unshared), unshared);

function detached(): ArrayBuffer {
  const buffer = new ArrayBuffer(8);
  structuredClone(buffer, { transfer: [buffer] });
  return buffer;
}

const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();

const REFUSED: Readonly<Record<string, unknown>> = {
  'a function': () => 1,
  'a class': class A {},
  'a symbol': Symbol('s'),
  'an object of a symbol': Object(Symbol('s')),
  'a Promise': Promise.resolve(),
  'a WeakMap': new WeakMap(),
  'a WeakSet': new WeakSet(),
  'a WeakRef': new WeakRef({}),
  'a FinalizationRegistry': new FinalizationRegistry(() => {}),
  'a generator': (function* () {})(),
  'an iterator': [][Symbol.iterator](),
  'a number format': new Intl.NumberFormat(),
  'a WebAssembly.Memory': new WebAssembly.Memory({ initial: 1 }),
  'a SharedArrayBuffer': new SharedArrayBuffer(8),
  'a MessagePort': new MessageChannel().port1,
  'a detached buffer': detached(),
  'a proxy': new Proxy({}, {}),
  'a proxy of an array': new Proxy([], {}),
  'a revoked proxy': revoked,
};

describe.each(CODECS)('%s', (_, codec) => {
  test.each(Object.entries(REFUSED))('refuses %s, wherever it is', (_, value) => {
    for (const whole of [
      value,
      [value],
      { a: { value } },
      new Map([[1, value]]),
      new Map([[value, 1]]),
      new Set([value]),
    ])
      expect(() => codec.serialize(whole, unshared)).toThrow(NotShareableError);
    expect(() => codec.serialize(value, unshared)).toThrow(/^furcate: .* could not be cloned\.$/);
  });

  test('reads getters once, one after the other, what they hold before the next', () => {
    const read: string[] = [];
    const noted = (name: string, value: unknown): PropertyDescriptor & ThisType<unknown> => ({
      enumerable: true,
      get() {
        read.push(name);
        return value;
      },
    });
    const inner = Object.defineProperty({}, 'x', noted('inner', 1));
    const list = Object.defineProperty([1, 2], 0, noted('element', inner));
    through(Object.defineProperties({}, { a: noted('a', list), b: noted('b', 2) }), codec);
    expect(read).toEqual(['a', 'element', 'inner', 'b']);
  });

  test('skips what a getter has deleted, and does not see what it has added', () => {
    const object = {
      get first(): number {
        delete (this as Partial<typeof object>).second;
        delete (this as Partial<typeof object>).toString;
        Object.assign(this, { added: 1 });
        return 1;
      },
      second: 2,
      toString: 3,
      last: undefined,
    };
    expect(through(object, codec)).toStrictEqual({ first: 1, last: undefined });
    const list: unknown[] = [1, 2, 3, 4];
    const cutsItsArray = (): void => {
      list.length = 2;
    };
    Object.defineProperty(list, 1, { configurable: true, enumerable: true, get: cutsItsArray });
    expect(through(list, codec)).toStrictEqual(Object.assign(Array(4), { 0: 1, 1: undefined }));
  });

  test('can be called by a getter of what it is about to write', () => {
    const outer = {
      before: 'outer',
      get inner() {
        return codec.serialize({ inner: [1, 2, 3] }, unshared).slice();
      },
      after: 'outer',
    };
    const { inner, ...rest } = through(outer, codec) as { inner: Uint8Array };
    expect(rest).toEqual({ before: 'outer', after: 'outer' });
    expect(codec.deserialize(inner, unshared)).toEqual({ inner: [1, 2, 3] });
  });

  test('goes on after a getter has thrown', () => {
    const failing = {
      before: 'x'.repeat(1e6),
      get x(): never {
        throw new RangeError('the getter');
      },
    };
    expect(() => codec.serialize(failing, unshared)).toThrow(new RangeError('the getter'));
    expect(through('next', codec)).toBe('next');
  });

  test('takes objects of another realm for what they are', () => {
    const far: unknown =
      vm.runInNewContext(`[{}, Object.create(null), [1], new Map([[1, {}]]), new Set([1]), new Date(5), /a/g,
      Object(1), Object('t'), Object(true), Object(1n), new ArrayBuffer(3), new Uint16Array([1, 2]), new DataView(new ArrayBuffer(2)),
      new TypeError('m', { cause: 1 }), new (class X { a = 1 })(), new (class M extends Map {})([[1, 2]])]`);
    expect(difference(through(far, codec), structuredClone(far))).toBeUndefined();
    expect(() => codec.serialize(vm.runInNewContext('[Promise.resolve()]'), unshared)).toThrow(/Promise.* could not/);
  });

  test('goes by what objects are, whatever they claim to be', () => {
    const named = (value: object, name: string): object =>
      Object.defineProperty(value, Symbol.toStringTag, { value: name });
    const values = [
      named({ a: 1 }, 'Map'),
      named({ a: 1 }, 'Date'),
      named({ a: 1 }, 'Error'),
      named({ a: 1 }, 'Mine'),
      named([1], 'Set'),
      new (class Sub extends Array {})(3),
      new (class Sub extends Date {})(3),
      Math,
      JSON,
    ];
    for (const value of values) expect(difference(through(value, codec), structuredClone(value))).toBeUndefined();
  });

  test('keeps a view that several hold one view, with its own bytes alone', () => {
    const view = new Uint16Array(1e6).subarray(10, 12).fill(7);
    const bytes = codec.serialize([view, { view }], unshared);
    expect(bytes.length).toBeLessThan(100);
    const [one, { view: other }] = codec.deserialize(bytes, unshared) as [Uint16Array, { view: Uint16Array }];
    expect(one).toBe(other);
    expect([one, one.buffer.byteLength]).toEqual([Uint16Array.of(7, 7), 4]);
  });

  test('lets views on shared memory cross as numbers', () => {
    const shared = new Int32Array(new SharedArrayBuffer(64), 8, 4);
    const numbers = [1, 4, 2 ** 28 - 1, 2 ** 32 - 8, 2 ** 30, 255];
    const views: ViewCodec = {
      encode: (view) => (view === shared ? numbers : undefined),
      decode(given) {
        expect(given).toEqual(numbers);
        return shared;
      },
    };
    const value = { shared, again: [shared], own: new Uint8Array([1]) };
    const back = codec.deserialize(codec.serialize(value, views), views) as typeof value;
    expect(back.shared).toBe(shared);
    expect(back.again[0]).toBe(shared);
    expect(back.own).toEqual(new Uint8Array([1]));
  });

  test('carries large values', () => {
    const value = {
      text: 'x'.repeat(3e6),
      other: '€'.repeat(1e6),
      bytes: new Uint8Array(3e6).fill(5),
      integers: Array.from({ length: 1e5 }, (_, k) => k),
      doubles: Array.from({ length: 1e5 }, (_, k) => k / 8),
      objects: Array.from({ length: 1e4 }, (_, k) => ({ k, [`key ${k % 20}`]: [k] })),
    };
    expect(difference(through(value, codec), structuredClone(value))).toBeUndefined();
  });

  test('keeps sparse arrays sparse, however long', () => {
    const value: unknown[] = [];
    value[4e9] = 'end';
    value[5] = 'begin';
    const bytes = codec.serialize(value, unshared);
    expect(bytes.length).toBeLessThan(100);
    const back = codec.deserialize(bytes, unshared) as unknown[];
    expect(back.length).toBe(4e9 + 1);
    expect(Object.entries(back)).toEqual(Object.entries(value));
  });
});

/** A chain that many objects long, whose last one leads back to the first. */
function chain(length: number, link: (next: unknown) => object, last: { first?: unknown }): object {
  let value: object = last;
  for (let k = 0; k < length; k++) value = link(value);
  last.first = value;
  return value;
}

const LINKS: Readonly<Record<string, [link: (next: unknown) => object, next: (link: never) => unknown]>> = {
  objects: [(next) => ({ next }), ({ next }: { next: unknown }) => next],
  arrays: [(next) => [next], ([next]: unknown[]) => next],
  maps: [(next) => new Map([[next, 1]]), (map: Map<unknown, unknown>) => [...map.keys()][0]],
  sets: [(next) => new Set([next]), (set: Set<unknown>) => [...set][0]],
  errors: [(cause) => new Error('link', { cause }), ({ cause }: Error) => cause],
};

describe('the portable codec', () => {
  test.each(Object.entries(LINKS))('takes a long chain of %s', (kind, [link, next]) => {
    const length = kind === 'errors' ? 2000 : 100_000; // an error takes the runner 0.1 ms, for its stack
    const back = through(chain(length, link, {}));
    let at: unknown = back;
    for (let k = 0; k < length; k++) at = next(at as never);
    expect((at as { first: unknown }).first === back).toBe(true);
  });

  test('keeps an error that is its own cause', () => {
    const error = new Error('mine') as Error & { cause: unknown };
    error.cause = [error];
    const back = through(error) as typeof error;
    expect((back.cause as unknown[])[0]).toBe(back);
  });

  test('makes any error one of those that structured cloning knows', () => {
    const aggregate = through(new AggregateError([1], 'all')) as Error;
    expect([aggregate.constructor, aggregate.message]).toEqual([Error, 'all']);
    const stop = new DOMException('stop', 'AbortError');
    const back = through(stop) as Error;
    expect([back.constructor, back.message, back.name]).toEqual([DOMException, 'stop', 'AbortError']);
    expect(back.stack).toBe(stop.stack);
  });

  test('copies proxies as what they look like where the host cannot tell them', () => {
    const codec = portableCodec();
    expect(through([new Proxy({ a: 1 }, {}), new Proxy([1, 2], {})], codec)).toEqual([{ a: 1 }, [1, 2]]);
  });

  test('leaves out what very long arrays have besides their elements, but no element', () => {
    const long = Object.assign(new Array(5000).fill('x'), { other: 1 });
    delete long[7];
    expect(difference(through(long), Object.assign(long.slice(), {}))).toBeUndefined();
    const short = Object.assign(new Array(4000).fill('x'), { other: 1 });
    expect(difference(through(short), structuredClone(short))).toBeUndefined();
  });

  test('tells lone surrogates where strings cannot', () => {
    const prototype = String.prototype as { isWellFormed?: unknown };
    const { isWellFormed } = prototype;
    delete prototype.isWellFormed;
    try {
      for (const text of ['\ud800', '😀', `${'€'.repeat(100)}\udc00`, '😀'.repeat(100), `\ud83d${'a'.repeat(100)}`])
        expect(through(text)).toBe(text);
    } finally {
      Object.defineProperty(prototype, 'isWellFormed', { value: isWellFormed, writable: true, configurable: true });
    }
  });

  test('refuses bytes of another version, and bytes that are no value', () => {
    expect(() => portable.deserialize(Uint8Array.of(), unshared)).toThrow(/end too soon/);
    expect(() => portable.deserialize(Uint8Array.of(255, 15), unshared)).toThrow(/\(version 255\)/);
    expect(() => portable.deserialize(Uint8Array.of(1, 63), unshared)).toThrow(/\(tag 63\)/);
    expect(() => portable.deserialize(Uint8Array.of(1, 11, 3), unshared)).toThrow(/\(object 3\)/);
  });
});
