import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Copier, openData, packError } from '../../../../src/core/code/data-copy.js';
import { CODECS } from '../../../helpers/codecs.js';

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
        expect(Object.keys(actual).sort()).toEqual(Object.keys(expected).sort());
        for (const key of Object.keys(expected)) {
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
