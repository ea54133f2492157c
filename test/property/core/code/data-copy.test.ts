import { deepStrictEqual, ok, throws } from 'node:assert';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Copier, openData, packError } from '../../../../src/core/code/data-copy.js';
import { standsInClass } from '../../../../src/core/code/object-kind.js';
import { CODECS } from '../../../helpers/codecs.js';

/** Stands for an element that is not there. */
const HOLE = Symbol('hole');

/** Data of all supported kinds (compared by node:assert, which does not trust a key named `constructor`), with keys that are likely to hurt. */
const anyData = fc.anything({
  key: fc.oneof(
    fc.string(),
    fc.constantFrom('__proto__', 'furcate:mark', 'value', 'constructor', 'toString', 'message', 'stack'),
  ),
  values: [
    fc.constantFrom('function', 'verbatim', 'node', 'error'),
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined),
    fc.bigInt(),
    fc.date({ noInvalidDate: true }),
  ],
  withBoxedValues: true,
  withMap: true,
  withSet: true,
  withSparseArray: true,
  withNullPrototype: false,
});

const views = { encode: () => undefined, decode: (): never => expect.fail('no view is shared') };

/** Ways to carry a copy to another thread. */
const CARRIERS: [name: string, carry: (copy: unknown) => unknown][] = [
  ['structuredClone', structuredClone],
  ...CODECS.map(([name, codec]): [string, (copy: unknown) => unknown] => [
    name,
    (copy) => codec.deserialize(codec.serialize(copy, views), views),
  ]),
];

const copyOf = (value: unknown): unknown =>
  new Copier().copy(
    value,
    () => {
      throw new Error('not data');
    },
    String,
  );

test.each(CARRIERS)('data opens to what was copied, whatever it looks like, after %s', (_, carry) => {
  fc.assert(
    fc.property(anyData, (value) => {
      const opened = openData(carry(copyOf(value)));
      deepStrictEqual(opened, structuredClone(value));
    }),
  );
});

/** Arrays with properties besides their elements, with holes or none. */
const anyArray = fc
  .tuple(
    fc.array(fc.option(anyData, { nil: HOLE })),
    fc.dictionary(
      fc.string({ minLength: 1 }).filter((key) => key !== 'length'),
      anyData,
      { maxKeys: 3 },
    ),
  )
  .map(([elements, properties]) => {
    const array: unknown[] = new Array(elements.length);
    for (const [i, element] of elements.entries()) if (element !== HOLE) array[i] = element;
    for (const [key, value] of Object.entries(properties))
      Object.defineProperty(array, /^\d+$/.test(key) ? `n${key}` : key, {
        value,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    return array;
  });

test.each(CARRIERS)('arrays open with all that they have besides their elements after %s', (_, carry) => {
  fc.assert(
    fc.property(anyArray, (array) => {
      const opened = openData(carry(copyOf({ array }))) as { array: unknown[] };
      deepStrictEqual(opened.array, structuredClone(array));
    }),
  );
});

/** Ways to hold one object in another. */
const LINKS: Readonly<Record<string, (inner: unknown) => object>> = {
  object: (inner) => ({ inner }),
  mark: (inner) => ({ 'furcate:mark': 'error', inner }),
  array: (inner) => [inner],
  property: (inner) => Object.assign([], { inner }),
  key: (inner) => new Map([[inner, 1]]),
  value: (inner) => new Map([[1, inner]]),
  member: (inner) => new Set([inner]),
};
/** What a link holds. */
const heldBy = (link: string, outer: unknown): unknown => {
  if (link === 'array') return (outer as unknown[])[0];
  if (link === 'key') return [...(outer as Map<unknown, unknown>).keys()][0];
  if (link === 'value') return (outer as Map<unknown, unknown>).get(1);
  if (link === 'member') return [...(outer as Set<unknown>)][0];
  return (outer as { inner: unknown }).inner;
};

test('chains of any length are copied and opened, and a place in them is found', () => {
  const links = fc.array(fc.constantFrom(...Object.keys(LINKS)), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(links, fc.constantFrom(10, 63, 64, 65, 200, 10_000), anyData, (names, length, innermost) => {
      const linkAt = (i: number): string => names[i % names.length] as string;
      const chainOf = (end: unknown): unknown => {
        let chain = end;
        for (let i = 0; i < length; i++) chain = (LINKS[linkAt(i)] as (inner: unknown) => object)(chain);
        return chain;
      };
      const portable = CODECS[1]?.[1] as (typeof CODECS)[number][1];
      let opened = openData(portable.deserialize(portable.serialize(copyOf(chainOf(innermost)), views), views));
      for (let i = length; i-- > 0; ) opened = heldBy(linkAt(i), opened);
      deepStrictEqual(opened, structuredClone(innermost));
      let place = '';
      const refuse = (_: unknown, _what: string, where: () => string): never => {
        place = where();
        throw new Error('refused');
      };
      const broken = chainOf(() => 1);
      throws(() => new Copier().copy(broken, refuse, String), /refused/);
      ok(place.length >= length);
    }),
    { numRuns: 20 },
  );
});

test('a copy shares nothing with the original', () => {
  fc.assert(
    fc.property(anyData, (value) => {
      const seen = new Set<unknown>();
      const walk = (part: unknown, visit: (object: object) => void): void => {
        if (typeof part !== 'object' || part === null) return;
        visit(part);
        if (part instanceof Map || part instanceof Set) for (const element of part) walk(element, visit);
        for (const element of Object.values(part)) walk(element, visit);
      };
      walk(value, (object) => seen.add(object));
      walk(openData(copyOf(value)), (object) => expect(seen.has(object)).toBe(false));
    }),
  );
});

const anyProperties = fc.dictionary(
  fc.string().filter((key) => key !== 'stack' && key !== 'name'),
  anyData,
  { maxKeys: 4, noNullPrototype: true },
);

test.each(CARRIERS)('an error comes back with its class, message, properties and causes after %s', (_, carry) => {
  const classes = fc.constantFrom<new (message?: string, options?: ErrorOptions) => Error>(
    Error,
    TypeError,
    RangeError,
    SyntaxError,
    ReferenceError,
    URIError,
    EvalError,
  );
  const links = fc.array(fc.tuple(classes, fc.string(), anyProperties), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(links, anyData, (chain, innermost) => {
      let cause: unknown = innermost;
      for (const [Class, message, properties] of chain) {
        const error = new Class(message, { cause });
        for (const [key, value] of Object.entries(properties)) {
          Object.defineProperty(error, key, { value, enumerable: true, writable: true, configurable: true });
        }
        cause = error;
      }
      let expected = cause as Error;
      let actual = openData(carry(packError(expected))) as Error;
      for (const _ of chain) {
        expect(Object.getPrototypeOf(actual)).toBe(Object.getPrototypeOf(expected));
        expect(actual.stack).toBe(expected.stack);
        const keys = Object.keys(expected).filter((key) => !standsInClass(Object.getPrototypeOf(expected), key)); // no property replaces a method
        expect(Object.keys(actual).sort()).toEqual(keys.sort());
        for (const key of keys) {
          const property = (error: Error): unknown => (error as unknown as Record<string, unknown>)[key];
          if (key !== 'cause') deepStrictEqual(property(actual), structuredClone(property(expected)));
        }
        if (Object.keys(expected).includes('cause')) return;
        [expected, actual] = [expected.cause as Error, actual.cause as Error];
      }
      deepStrictEqual(actual, structuredClone(innermost));
    }),
  );
});

test.each(CARRIERS)('anything else that is thrown comes back as it is after %s', (_, carry) => {
  fc.assert(
    fc.property(anyData, (value) => {
      deepStrictEqual(openData(carry(packError(value))), structuredClone(value));
    }),
  );
});
