import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { numericOrderOf } from '../../../../src/algorithms/patterns/numeric-order.js';
import { TEST_HANG_MS } from '../../../helpers/limits.js';

/** What `Function.prototype.toString` shows is the text that a function was made of. */
const made = (text: string): ((a: never, b: never) => unknown) => new Function(`return (${text});`)();

/** A body that compares, out of parts that are right, and others that only look so. */
const expression = fc.letrec<{ any: string; test: string }>((tie) => ({
  test: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('a < b', 'a > b', 'b<a', 'a <= b', 'b >= a', 'a === b', 'a != b') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('a < a', 'a', '-a < b', 'a < -b', 'a + 1 < b', 'a < b + 1', 'a < 1', 'a < c'),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('test'), fc.constantFrom(' && ', ' || ', ' < ', ' - '), tie('test'))
        .map((xs) => xs.join('')),
    },
    { weight: 1, arbitrary: tie('any').map((test) => `!(${test})`) },
  ),
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('-1', '0', '1', '+1', '- 2', 'a', 'c', '1(0)', '(a, b)'),
    tie('test'),
    fc.tuple(tie('test'), tie('any'), tie('any')).map(([test, yes, no]) => `${test} ? ${yes} : ${no}`),
    fc.tuple(tie('any'), tie('any')).map(([x, y]) => `(${x}) - (${y})`),
    tie('any').map((x) => `+(${x})`),
    tie('any').map((x) => `-(${x})`),
  ),
})).any;

const NUMBERS = [-1 / 0, -1.5, -1, -(2 ** -1074), -0, 0, 2 ** -1074, 1, 1 + 2 ** -52, 2, 2 ** 53, 1 / 0];
const BIGINTS = [-(2n ** 63n), -1n, 0n, 1n, 2n, 2n ** 63n - 1n];

describe('numericOrderOf', () => {
  test.each([
    '(a, b) => a - b',
    '(x,y)=>x-y',
    '($a, _b) => { return $a - _b; }',
    'function (a, b) { return a - b }',
    'function up(p, q) {return p-q;}',
  ])('knows %s as ascending, of numbers only', (text) => {
    expect(numericOrderOf(made(text), false)).toBe('ascending');
    expect(numericOrderOf(made(text), true)).toBeUndefined();
  });

  test.each(['(a, b) => b - a', 'function down(a, b) {\n  return b - a;\n}'])('knows %s as descending', (text) =>
    expect(numericOrderOf(made(text), false)).toBe('descending'),
  );

  test.each([
    '(a, b) => a < b ? -1 : a > b ? 1 : 0',
    '(a, b) => (a < b ? -1 : a > b ? 1 : 0)',
    '(a, b) => (a < b) ? -1 : ((a > b) ? 1 : 0)',
    '(x,y)=>x>y?1:x<y?-1:0',
    '(a, b) => a === b ? 0 : a < b ? -1 : 1',
    '(a, b) => a <= b ? (a == b ? 0 : -1) : 1',
    '(a, b) => (a > b) - (a < b)',
    '(a, b) => +(a > b) - +(a < b)',
    '(a, b) => a < b ? -1 : +(a > b)',
    '(a, b) => a < b ? -1 : 1',
    '(a, b) => b < a ? 1 : -1',
    '(a, b) => a < b && -1 || a > b && 1 || 0',
    '(a, b) => { return a < b ? -1 : a > b ? 1 : 0; }',
    '(a, b) => {\n  if (a < b) return -1;\n  if (a > b) return 1;\n  return 0;\n}',
    'function (p, q) { if (p < q) { return -1; } else if (p > q) { return 1; } else { return 0; } }',
  ])('knows %s as ascending, of bigints too', (text) => {
    expect(numericOrderOf(made(text), false)).toBe('ascending');
    expect(numericOrderOf(made(text), true)).toBe('ascending');
  });

  test.each([
    '(a, b) => a > b ? -1 : a < b ? 1 : 0',
    '(a, b) => b < a ? -1 : b > a ? 1 : 0',
    '(a, b) => (b > a) - (b < a)',
    'function down(a, b) {\n  if (a > b) return -1;\n  return a < b ? 1 : 0;\n}',
  ])('knows %s as descending', (text) => {
    expect(numericOrderOf(made(text), false)).toBe('descending');
    expect(numericOrderOf(made(text), true)).toBe('descending');
  });

  test.each([
    '(a, b) => a - b - 0',
    '(a, b) => -(a - b)',
    '(a, b) => a + b',
    '(a, b) => a - a',
    '(a, b) => a - c',
    '(a, b, c) => a - b',
    '(a) => a - a',
    '(a, b = 1) => a - b',
    '(a, b) => { a++; return a - b; }',
    'async (a, b) => a - b',
    'function* (a, b) { return a - b }',
    '({ a }, b) => a - b',
    '(a, b) => a > b',
    '(a, b) => a < b',
    '(a, b) => a <= b ? 0 : 1',
    '(a, b) => -a < b ? -1 : 1',
    '(a, b) => a < b + 1 ? -1 : 1',
    '(a, b) => a < b.c ? -1 : 1',
    '(a, b) => a < b ? -1 : a > b ? 1 : c',
    '(a, b) => a < b ? -1 : a > b ? 1 : 0(a === b)',
    '(a, b) => a < b ? -1 : a > b ? 1 : a === b ? 0 : 1()',
    '(a, b) => { if (a < b) return -1; a = b; return 1; }',
    '(a, b) => Math.abs(a) < Math.abs(b) ? -1 : Math.abs(a) > Math.abs(b) ? 1 : 0',
    '(a, b) => { while (a < b) return -1; return 1; }',
  ])('has %s called', (text) => expect(numericOrderOf(made(text), false)).toBeUndefined());

  test('knows only what orders all numbers, and bigints, in that way', () => {
    let recognized = 0;
    fc.assert(
      fc.property(expression, fc.boolean(), (body, block) => {
        const compare = made(block ? `function (a, b) { return ${body}; }` : `(a, b) => ${body}`);
        for (const [ofBigints, values] of [
          [false, NUMBERS],
          [true, BIGINTS],
        ] as const) {
          const order = numericOrderOf(compare, ofBigints);
          if (order === undefined) continue;
          recognized++;
          for (const x of values) {
            for (const y of values) {
              const sign = x < y ? -1 : x > y ? 1 : 0;
              const answer = Math.sign(Number(compare(x as never, y as never)));
              if (sign !== 0) expect(answer).toBe(order === 'ascending' ? sign : -sign);
            }
          }
        }
      }),
      { numRuns: 20_000, interruptAfterTimeLimit: TEST_HANG_MS },
    );
    expect(recognized).toBeGreaterThan(200);
  });
});
