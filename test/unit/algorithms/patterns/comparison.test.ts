import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comparisonIn, comparisonOf, patternOf } from '../../../../src/algorithms/patterns/comparison.js';

describe('comparisonIn', () => {
  test.each([
    ['(x) => x < 0.5', '<', 0.5],
    ['x => x < 0.5', '<', 0.5],
    ['x=>x<0.5', '<', 0.5],
    ['x => 0.5 >= x', '<=', 0.5],
    ['x => 3 < x', '>', 3],
    ['(x) => (x === 3)', '===', 3],
    ['(x, i) => x !== 1_000', '!==', 1000],
    ['(x, i, c) => x == 0', '==', 0],
    ['(x) => x != -0', '!=', -0],
    ['(x) => x > -1.5e-3', '>', -1.5e-3],
    ['(x) => x > +.5', '>', 0.5],
    ['(x) => x >= 5.', '>=', 5],
    ['(x) => x <= 0xff', '<=', 255],
    ['(x) => x <= 0B11', '<=', 3],
    ['(x) => x <= 0o17', '<=', 15],
    ['(x) => x < 1e400', '<', Number.POSITIVE_INFINITY],
    ['(x) => x < 3n', '<', 3n],
    ['(x) => x < -3n', '<', -3n],
    ['(x) => x < 0xffn', '<', 255n],
    ['function (x) { return x === 3; }', '===', 3],
    ['function (x) { return x === 3 }', '===', 3],
    ['function isSmall(x, i) { return 3 > x; }', '<', 3],
    ['(x) => { return x < 1; }', '<', 1],
    ['(x /* the element */) => x < // less\n 1', '<', 1],
    ['($é) => $é < 1', '<', 1],
  ] as const)('takes %s', (source, op, constant) => {
    expect(comparisonIn(source)).toEqual({ op, constant });
  });

  test.each([
    '(x) => x < limit',
    '(x) => x < y',
    '(x, y) => y < 3',
    '(x, x2) => x2 < 3',
    'function (x, i, x) { return x < 3; }',
    '(x) => x < x',
    '(x) => 1 < 2',
    '(x) => x < 1 + 1',
    '(x) => x + 1 < 2',
    '(x) => x < 1 && x > 0',
    '(x) => !(x < 1)',
    '(x) => -x < 1',
    '(x) => x < - -1',
    '(x) => x < +3n',
    "(x) => x < '3'",
    '(x) => x < `3`',
    '(x) => x === null',
    '(x) => x === NaN',
    '(x) => x < 010',
    '(x) => x <  = 1',
    '(x) => x << 1',
    '(x) => x >> 1',
    '(x) => x = 1',
    '(x) => x.y < 1',
    '(x) => x[0] < 1',
    '(x = 1) => x < 1',
    '(...x) => x < 1',
    '({ x }) => x < 1',
    '([x]) => x < 1',
    '() => 1 < 2',
    '(x) => { x++; return x < 1; }',
    '(x) => { return x < 1; x++ }',
    '(x) => { x < 1 }',
    '(x) => {}',
    '(x) => ({ a: x < 1 })',
    '(x) => (x < 1, 2)',
    '(x) => x < 1 ? 1 : 0',
    'function (x) { return x < 1; } + 1',
    'async (x) => x < 1',
    'function* (x) { return x < 1; }',
    'pred(x) { return x < 1; }',
    'function () { [native code] }',
    '(\\u0078) => x < 1',
    '(x, i, { limit = 3 }) => x < limit',
    '(x, i, { limit: other }) => x < other',
    '(x, i, { limit }, more) => x < limit',
    '(x, limit, { limit }) => x < limit',
    '(x, i, { ...limit }) => x < limit',
    '',
    '(',
    '(x',
    '(x) =>',
    '(x) => x <',
  ])('leaves %s alone', (source) => {
    expect(comparisonIn(source)).toBeUndefined();
  });

  test('takes a property of the context, if it is a number or bigint in the call', () => {
    for (const source of ['(x, i, { limit }) => x < limit', '(x, i, { more, limit }) => limit > x']) {
      const pattern = comparisonIn(source);
      expect(pattern).toEqual({ op: '<', key: 'limit' });
      if (pattern === undefined) return;
      expect(comparisonOf(pattern, { limit: 3 })).toEqual({ op: '<', constant: 3 });
      expect(comparisonOf(pattern, { limit: 3n })).toEqual({ op: '<', constant: 3n });
      for (const context of [
        { limit: '3' },
        { limit: new Date() },
        {},
        undefined,
        {
          get limit() {
            return 3;
          },
        },
      ]) {
        expect(comparisonOf(pattern, context)).toBeUndefined();
      }
    }
  });

  test('means what the function does, for any number', () => {
    const operators = ['<', '<=', '>', '>=', '===', '!==', '==', '!='] as const;
    const value = fc.oneof(fc.double(), fc.integer(), fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }));
    const literal = (x: number | bigint): string =>
      typeof x === 'bigint' ? `${x}n` : Object.is(x, -0) ? '-0' : `${x}`;
    fc.assert(
      fc.property(value, value, fc.constantFrom(...operators), fc.boolean(), (x, constant, op, mirrored) => {
        fc.pre(typeof constant === 'bigint' || Number.isFinite(constant));
        const text = mirrored ? `${literal(constant)} ${op} x` : `x ${op} ${literal(constant)}`;
        const fn = new Function(`return (x) => ${text}`)() as (x: unknown) => boolean;
        const found = comparisonIn(fn.toString());
        expect(found).toBeDefined();
        const canonical = new Function('x', 'c', `return x ${found?.op} c`) as (x: unknown, c: unknown) => boolean;
        expect(canonical(x, (found as { constant: unknown }).constant)).toBe(fn(x));
      }),
      { numRuns: 500 },
    );
  });
});

describe('patternOf', () => {
  test('reads a function once, and looks at no long one', () => {
    const short = (x: number): boolean => x < 3;
    expect(patternOf(short)).toBe(patternOf(short));
    expect(patternOf(short)).toEqual({ op: '<', constant: 3 });
    const long = new Function(`return (x) => ${' '.repeat(500)} x < 3`)() as (x: number) => boolean;
    expect(patternOf(long)).toBeUndefined();
  });
});
