import { describe, expect, test } from 'vitest';
import { DROP } from '../../../../src/core/code/data-contents.js';
import { Copier, openData, packError } from '../../../../src/core/code/data-copy.js';
import { resolver } from '../../../../src/core/code/resolver.js';
import { checkContext, openContext, shipContext } from '../../../../src/core/code/source.js';
import { newInstance, refusalOf, registerClass } from '../../../../src/core/code/value-class.js';
import { NotShareableError, TaskRegistrationError } from '../../../../src/core/errors.js';

const URL_A = 'file:///app/value-class-test.js';

class Vec {
  x: number;
  y: number;
  constructor(x: number, y: number) {
    if (x === undefined) throw new Error('the constructor does not run on arrival');
    this.x = x;
    this.y = y;
  }
  get length(): number {
    return Math.hypot(this.x, this.y);
  }
}
registerClass(URL_A, 'Vec', Vec);

class Node {
  next: Node | undefined;
  value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}
registerClass(URL_A, 'Node', Node);

/** As through the serializer, which knows plain objects only. */
const through = <T>(value: T): T => openData(structuredClone(new Copier().copy(value, () => DROP, String))) as T;

describe('an instance of a registered class', () => {
  test('arrives with its class and fields, wherever it stands, and its constructor does not run', () => {
    const value = {
      list: [new Vec(3, 4)],
      map: new Map([['a', new Vec(1, 0)]]),
      set: new Set([new Vec(0, 2)]),
      plain: 1,
    };
    const there = through(value);
    expect(there).toEqual(value);
    expect(there.list[0]).toBeInstanceOf(Vec);
    expect([there.list[0]?.length, there.map.get('a')?.length, [...there.set][0]?.length]).toEqual([5, 1, 2]);
    expect(there.list[0]).not.toBe(value.list[0]);
  });

  test('keeps cycles, and is one object where it was one', () => {
    const node = new Node(new Vec(3, 4));
    node.next = node;
    const { a, b } = through({ a: node, b: [node] });
    expect(a.next).toBe(a);
    expect(b[0]).toBe(a);
    expect((a.value as Vec).length).toBe(5);
  });

  test('has the fields that the class has setters for, and others that hurt, as its own', () => {
    class Odd {
      set n(_: number) {
        throw new Error('a setter');
      }
    }
    registerClass(URL_A, 'Odd', Odd);
    const odd = Object.defineProperty(new Odd(), 'n', {
      value: 1,
      writable: true,
      enumerable: true,
      configurable: true,
    });
    Object.defineProperty(odd, '__proto__', { value: 2, writable: true, enumerable: true, configurable: true });
    const there = through(odd);
    expect(Object.entries(there)).toEqual([
      ['n', 1],
      ['__proto__', 2],
    ]);
    expect(there).toBeInstanceOf(Odd);
  });

  test('looks like a mark without being taken for one', () => {
    const value = { 'furcate:mark': 'instance', value: { of: 1, fields: {} }, vec: new Vec(3, 4) };
    expect(through(value)).toEqual(value);
  });

  test('is of the class that was registered last under its key', async () => {
    class First {
      n = 1;
    }
    registerClass(URL_A, 'Again', First);
    const old = new First();
    await undefined; // the end of an evaluation
    class Second {
      n = 2;
      get twice(): number {
        return 2 * this.n;
      }
    }
    registerClass(URL_A, 'Again', Second);
    const there = through(old) as unknown as Second;
    expect(there).toBeInstanceOf(Second);
    expect(there.twice).toBe(2);
  });

  test('travels in a context, whose copy is frozen, and makes its module a need', () => {
    const ship = shipContext({ origin: new Vec(3, 4), deep: [{ v: new Vec(1, 0) }] }, 'context');
    expect(ship.codes).toHaveLength(1);
    const given = openContext(structuredClone(ship)) as { origin: Vec; deep: { v: Vec }[] };
    expect([given.origin.length, given.deep[0]?.v.length]).toEqual([5, 1]);
    expect(() => {
      given.origin.x = 1;
    }).toThrow(TypeError);
    checkContext(ship, 'fn', true);
  });

  test('comes along as a property of an error', () => {
    const error = Object.assign(new Error('e'), { at: new Vec(3, 4) });
    const there = openData(structuredClone(packError(error))) as typeof error;
    expect(there.at).toBeInstanceOf(Vec);
    expect(there.at.length).toBe(5);
  });
});

describe('where its class is not loaded', () => {
  const elsewhere = { code: resolver().table.idOf('value class', URL_A, 'Elsewhere'), byName: false };

  test('an instance is a TaskRegistrationError that names class and module', () => {
    expect(() => newInstance(elsewhere)).toThrow(TaskRegistrationError);
    expect(() => newInstance(elsewhere)).toThrow(
      /'Elsewhere' of file:\/\/\/app\/value-class-test\.js is not loaded .* Import that module/,
    );
  });

  test('its name alone finds it if it comes from a bundle, and not otherwise', () => {
    const of = { code: resolver().table.idOf('value class', 'file:///bundle.js', 'Vec'), byName: false };
    expect(() => newInstance(of)).toThrow(TaskRegistrationError);
    expect(newInstance({ ...of, byName: true })).toBeInstanceOf(Vec);
  });

  test('an error keeps the fields of its property', () => {
    const packed = structuredClone(packError(Object.assign(new Error('e'), { at: new Vec(3, 4) })));
    const text = JSON.stringify(packed).replace(/"code":\d+/, `"code":${elsewhere.code}`);
    expect(openData(JSON.parse(text))).toMatchObject({ message: 'e', at: { x: 3, y: 4 } });
  });
});

describe('an instance that cannot travel', () => {
  class Plain {
    n = 1;
  }
  class Vec3 extends Vec {}
  class Cache extends Map {}
  class List extends Array {}
  test.each<[string, object, RegExp, RegExp]>([
    [
      'an unregistered class',
      new Plain(),
      /is an instance of Plain, which would lose its class/,
      /registerClass\(import\.meta\.url, 'Plain', Plain\), or pass plain data/,
    ],
    ['a subclass', new Vec3(1, 2), /instance of Vec3/, /Its parent Vec is registered; a subclass needs its own/],
    ['a kind of Map', new Cache(), /instance of Cache/, /Pass a plain Map/],
    ['a kind of array', List.from([1]), /instance of List/, /Pass a plain array/],
    ['an object with a prototype', Object.create({ method: () => 1 }), /a prototype of its own/, /plain object/],
    ['an instance of a class without a name', new (class {})(), /a prototype of its own/, /plain object/],
    [
      'an accessor of its own',
      Object.defineProperty(new Vec(1, 2), 'z', { get: () => 1, enumerable: true }),
      /accessor 'z'/,
      /method or accessor of the class/,
    ],
    [
      'a hidden property',
      Object.defineProperty(new Vec(1, 2), 'z', { value: 1 }),
      /hidden property 'z'/,
      /plain field/,
    ],
    ['a symbol for a key', Object.assign(new Vec(1, 2), { [Symbol('s')]: 1 }), /property Symbol\(s\)/, /plain field/],
  ])('of %s is refused with the cure', (_, value, reason, cure) => {
    expect(refusalOf(value)?.reason).toMatch(reason);
    expect(refusalOf(value)?.cure).toMatch(cure);
  });

  test('is refused by its path in a context', () => {
    const refuse = (): unknown => shipContext({ deep: [new Plain()] }, 'context');
    expect(refuse).toThrow(NotShareableError);
    expect(refuse).toThrow(/^furcate: context\.deep\[0\] is an instance of Plain/);
  });
});

describe('registerClass', () => {
  class Private {
    #x = 1;
    get x(): number {
      return this.#x;
    }
  }
  class Below extends Private {}
  test.each<[string, unknown, RegExp]>([
    ['a private field', Private, /private member #x/],
    ['a parent with one', Below, /private member #x/],
    ['a kind of Map', class Cache extends Map {}, /extends Map.*Keep a Map in a field/],
    ['an error class', class E extends RangeError {}, /extends RangeError|extends Error/],
    ['no class', () => 1, /takes a class/],
    ['nothing', undefined, /takes a class; it was given undefined/],
  ])('refuses %s', (_, Class, problem) => {
    expect(() => registerClass(URL_A, 'Bad', Class as never)).toThrow(TypeError);
    expect(() => registerClass(URL_A, 'Bad', Class as never)).toThrow(problem);
  });

  test('takes a class without parents', () => {
    class Bare extends (null as unknown as ObjectConstructor) {}
    expect(() => registerClass(URL_A, 'Bare', Bare)).not.toThrow();
  });

  test('takes what compilers make of a class', () => {
    const Old = new Function(
      'function Old(x) { this.x = x; } Old.prototype.twice = function () { return 2 * this.x; }; return Old;',
    )();
    registerClass('/app/common.js', 'Old', Old); // __filename
    expect((through(new Old(2)) as { twice(): number }).twice()).toBe(4);
  });
});
