import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textOf } from '../../../src/flow/text.js';

const shared = { a: 1 };
const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(undefined, null, -0, Number.NaN, 1n, 'text', '\ud800"\u2028', true, 0.1),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 3 }), tie('any'), { maxKeys: 4 }),
    fc.constant(1).map((at) => Object.assign(new Array(3), { [at]: at })),
  ),
})).any;

test('a text gives what the structured clone is, or there is none', () => {
  fc.assert(
    fc.property(value, (original) => {
      const text = textOf(original);
      if (text !== undefined) expect(JSON.parse(text)).toStrictEqual(structuredClone(original));
    }),
  );
  expect(textOf({ a: [1, -2.5, 'x\n\ud800', true, null, { b: {} }], __proto: 1 })).toBeDefined();
  const own = JSON.parse('{"__proto__": 1, "0": 2}');
  expect(JSON.parse(textOf(own) as string)).toStrictEqual(own);
});

test.each<[string, unknown]>([
  ['undefined', { a: undefined }],
  ['a hole', Object.assign(new Array(3), { 0: 1, 2: 2 })],
  ['-0', [-0]],
  ['NaN', [Number.NaN]],
  ['an infinite number', { a: Number.POSITIVE_INFINITY }],
  ['a bigint', [1n]],
  ['an object twice', [shared, shared]],
  ['itself', cyclic],
  ['a method toJSON', { toJSON: () => 1 }],
  ['a date', [new Date(0)]],
  ['an instance', [new (class Point {})()]],
  ['a date without its prototype', Object.setPrototypeOf(new Date(0), Object.prototype)],
  ['properties of an array', Object.assign([1], { index: 1 })],
])('there is no text of what has %s', (_, other) => {
  expect(textOf(other)).toBeUndefined();
});

test('there are no texts where a program has given arrays or objects a toJSON', () => {
  Object.defineProperty(Object.prototype, 'toJSON', { value: () => 'other', configurable: true });
  try {
    expect(textOf({ a: 1 })).toBeUndefined();
  } finally {
    delete (Object.prototype as { toJSON?: unknown }).toJSON;
  }
});
