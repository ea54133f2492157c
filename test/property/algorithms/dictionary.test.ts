import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dictionaryEncode, type MaybeString } from '../../../src/algorithms/group/dictionary.js';
import { heapStats } from '../../../src/core/memory/heap.js';
import { isShared } from '../../../src/core/memory/shared-array.js';
import { codePoint } from '../../helpers/code-points.js';

const MISSING = 0xffff_ffff;

/** Strings that repeat, some of them missing; awkward ones among them. */
const someStrings = fc
  .array(
    fc.oneof(
      fc.constantFrom<MaybeString>(null, undefined, '', '\0', '__proto__', 'constructor', '\ud83d', '\ude00', 'a'),
      fc.string({ unit: codePoint, maxLength: 4 }),
    ),
    { minLength: 1, maxLength: 40 },
  )
  .chain((pool) => fc.array(fc.constantFrom(...pool), { maxLength: 3000, size: 'max' }));

const present = (strings: readonly MaybeString[]): string[] => strings.filter((value) => typeof value === 'string');
const orNull = (strings: readonly MaybeString[]): (string | null)[] => strings.map((value) => value ?? null);

/** The same strings as an array, and one by one. */
const bothForms = (strings: readonly MaybeString[]): Iterable<MaybeString>[] => [strings, strings.values()];

describe('dictionaryEncode', () => {
  test('gives shared codes by first occurrence, from an array or an iterable, and the strings back', () => {
    fc.assert(
      fc.property(someStrings, (strings) => {
        for (const form of bothForms(strings)) {
          const { codes, values, codeOf, decode } = dictionaryEncode(form);
          expect(isShared(codes)).toBe(true);
          expect(values).toEqual([...new Set(present(strings))]);
          expect(Array.from(codes)).toEqual(
            strings.map((value) => (typeof value === 'string' ? values.indexOf(value) : MISSING)),
          );
          expect(decode()).toEqual(orNull(strings));
          expect(decode(Array.from(codes).reverse())).toEqual(orNull(strings).reverse());
          expect(values.map(codeOf)).toEqual(Array.from(values.keys()));
          expect(codeOf('not there')).toBeUndefined();
        }
      }),
    );
  });

  test('gives codes in the order of the strings when they are to be sorted', () => {
    fc.assert(
      fc.property(someStrings, (strings) => {
        for (const form of bothForms(strings)) {
          const { codes, values, codeOf, decode } = dictionaryEncode(form, { sorted: true });
          expect(values).toEqual([...new Set(present(strings))].sort());
          expect(decode()).toEqual(orNull(strings));
          expect(values.map(codeOf)).toEqual(Array.from(values.keys()));
          const sorted = present(strings).sort();
          expect(decode(codes.slice().sort()).slice(0, sorted.length)).toEqual(sorted);
        }
      }),
    );
  });

  test('gives the strings of another encoding their codes, and adds the others or leaves them out', () => {
    fc.assert(
      fc.property(someStrings, someStrings, (left, right) => {
        const { values } = dictionaryEncode(left);
        const before = values.slice();
        const added = dictionaryEncode(right, { values });
        expect(added.values.slice(0, values.length)).toEqual(before);
        expect(added.decode()).toEqual(orNull(right));
        const known = new Set<MaybeString>(values);
        const missing = dictionaryEncode(right, { values, unknown: 'missing' });
        expect(missing.values).toEqual(before);
        expect(missing.decode()).toEqual(orNull(right.map((value) => (known.has(value) ? value : null))));
        expect(values).toEqual(before);
      }),
    );
  });

  test('refuses what is no string by its place, and leaves no memory behind', () => {
    const wrong = (...all: unknown[]) => (dictionaryEncode as (...all: unknown[]) => unknown)(...all);
    const message =
      /dictionaryEncode: strings\[2\] must be a string, or null or undefined.*it is 7. Make strings of it/;
    expect(() => wrong(['a', 'b', 7])).toThrow(message);
    const stats = heapStats();
    expect(() => wrong(['a', 'b', 7])).toThrow(message);
    expect(() => wrong(new Set(['a', 'b', 7]))).toThrow(message);
    expect(heapStats()).toEqual(stats);
  });

  test('checks its other arguments', () => {
    const wrong = (...all: unknown[]) => {
      try {
        (dictionaryEncode as (...all: unknown[]) => unknown)(...all);
      } catch (error) {
        return error as Error;
      }
      return undefined;
    };
    const cases: [unknown[], RegExp][] = [
      [['to be or not'], /strings must be an array.*but it is "to be or not". Split it into words/],
      [[], /strings must be an array or another iterable of strings, but it is undefined\.$/],
      [[Uint8Array.of(7)], /another iterable of strings, but it is an object of class Uint8Array\.$/],
      [[{ length: 2 }], /another iterable of strings, but it is [^.]*\.$/],
      [[[], null], /options must be a plain object, but it is null/],
      [[[], { ordered: true }], /no option "ordered". Its options are values, unknown, sorted/],
      [[[], { values: 'ab' }], /options.values must be an array of strings, but it is "ab"/],
      [[[], { values: ['a', 'b', 'a'] }], /options.values\[2\] is "a", which is there before. Leave out/],
      [[[], { values: ['a', null] }], /distinct strings, but options.values\[1\] is null/],
      [[[], { values: [], unknown: 'skip' }], /options.unknown must be 'add' or 'missing', but it is "skip"/],
      [[[], { unknown: 'missing' }], /without options.values, so all strings would be unknown/],
      [[[], { sorted: 1 }], /options.sorted must be a boolean, but it is 1/],
      [[[], { sorted: true, values: ['a'] }], /exclude each other/],
    ];
    for (const [args, message] of cases) {
      expect(wrong(...args)).toBeInstanceOf(TypeError);
      expect(wrong(...args)?.message).toMatch(/^furcate: dictionaryEncode: /);
      expect(wrong(...args)?.message).toMatch(message);
    }
    expect(wrong([], { values: new Array(2 ** 24 + 1) })).toBeInstanceOf(RangeError);
    const { decode } = dictionaryEncode(['a', 'b']);
    expect(decode([MISSING, 1, 0])).toEqual([null, 'b', 'a']);
    expect(() => decode([0, 2])).toThrow(/codes\[1\] is 2, and codes are the integers below 2 here, or 4294967295/);
    expect(() => decode([0.5])).toThrow(RangeError);
    expect(() => decode('01' as never)).toThrow(/decode: codes must be a typed array, but it is "01"/);
    const gone = Uint32Array.of(1);
    structuredClone(gone, { transfer: [gone.buffer] });
    expect(() => decode(gone)).toThrow(/decode: the buffer of codes is detached/);
  });
});
