import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { branchless } from '../../../../src/algorithms/patterns/branchless.js';
import type { Compare } from '../../../../src/algorithms/sort/kernels/merge-kernel.js';
import { TEST_HANG_MS } from '../../../helpers/limits.js';

/** What `Function.prototype.toString` shows is the text that a function was made of. */
const made = (text: string): Compare => new Function(`return (${text});`)() as Compare;

const VALUES = [-1 / 0, -2.5, -1, -0, 0, 2 ** -1074, 0.5, 1, 3, 2 ** 53, 1 / 0, Number.NaN, -3n, 0n, 1n, 7n];

/** What it answers, or the name of what it throws. */
function answer(compare: Compare, a: unknown, b: unknown): unknown {
  try {
    return compare(a, b, undefined);
  } catch (error) {
    return (error as Error).name;
  }
}

const PAIRS = VALUES.flatMap((a) => VALUES.filter((b) => typeof a === typeof b).map((b) => [a, b] as const));
const answersOf = (compare: Compare): unknown[] => PAIRS.map(([a, b]) => answer(compare, a, b));

const TERNARIES = ['X < Y ? -1 : X > Y ? 1 : 0', 'X > Y ? 1 : X < Y ? -1 : 0', 'X<Y?1:X>Y?-1:0'];
const FRAMES = ['(a, b) => T', '(a,b)=>(T)', '(a, b) => { return T; }'];

/** Expressions that may be evaluated again, and some that may not, or are none. */
const operand = fc.letrec<{ one: string }>((tie) => ({
  one: fc.oneof(
    { depthSize: 'small' },
    { weight: 4, arbitrary: fc.constantFrom('#', '#', '2', '0.5', 'Math.PI') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('a', 'other', '#.x', '#++', '#()', 'Math.random()', '# < 1', '(#', '#)', '"1"'),
    },
    fc
      .tuple(tie('one'), fc.constantFrom('+', ' - ', '*', ' / ', ' % ', ', '), tie('one'))
      .map((parts) => parts.join('')),
    fc.tuple(fc.constantFrom('Math.abs', 'Math.floor', '', '-', 'f'), tie('one')).map(([f, x]) => `${f}(${x})`),
    fc.tuple(tie('one'), tie('one')).map(([x, y]) => `Math.max(${x}, ${y})`),
  ),
})).one;

describe('branchless', () => {
  test.each([
    '(a, b) => Math.abs(a) < Math.abs(b) ? -1 : Math.abs(a) > Math.abs(b) ? 1 : 0',
    '(x,y)=>x%10>y%10?-1:x%10<y%10?1:0',
    '(a, b) => (a * a < b * b ? -1 : a * a > b * b ? 1 : 0)',
    '(a, b) => {\n  return Math.max(a, 3) > Math.max(b, 3) ? 1 : Math.max(a, 3) < Math.max(b, 3) ? -1 : 0;\n}',
    '(a, b) => (a + 1) % 7 < (b + 1) % 7 ? -1 : (a + 1) % 7 > (b + 1) % 7 ? 1 : 0',
    '(a, b) => a % Math.PI < b % Math.PI ? -1 : a % Math.PI > b % Math.PI ? 1 : 0',
  ])('rewrites %s', (text) => {
    const compare = made(text);
    expect(branchless(compare)).not.toBe(compare);
    expect(branchless(compare)).toBe(branchless(compare));
    expect(branchless(compare).toString()).not.toContain('?');
  });

  test.each([
    '(a, b) => f(a) < f(b) ? -1 : f(a) > f(b) ? 1 : 0',
    '(a, b) => a() < b() ? -1 : a() > b() ? 1 : 0',
    '(a, b) => a++ < b ? -1 : a++ > b ? 1 : 0',
    '(a, b) => - --a < b ? -1 : - --a > b ? 1 : 0',
    '(a, b) => Math.random() < b ? -1 : Math.random() > b ? 1 : 0',
    '(a, b) => Math.nothing(a) < b ? -1 : Math.nothing(a) > b ? 1 : 0',
    '(Math, b) => Math.abs(Math) < b ? -1 : Math.abs(Math) > b ? 1 : 0',
    '(a, b) => a.x < b.x ? -1 : a.x > b.x ? 1 : 0',
    '(a, b) => a % 7 < b % 7 ? -1 : a % 5 > b % 5 ? 1 : 0',
    '(a, b) => a % 7 < b % 7 ? -1 : a % 5 > b % 7 ? 1 : 0',
    '(a, b) => a % 7 < b % 7 ? -1 : a % 7 > b % 5 ? 1 : 0',
    '(a, b) => a % 7 < b % 7 ? -1 : a % 7 > b % 7 ? 1 : 2',
    '(a, b) => a % 7 < b % 7 ? -1 : a % 7 > b % 7 ? -1 : 0',
    '(a, b) => a % 7 < b % 7 ? -1 : a % 7 < b % 7 ? 1 : 0',
    '(a, b) => a % 7 <= b % 7 ? -1 : a % 7 > b % 7 ? 1 : 0',
    '(a, b) => { return a, b < 1 ? -1 : a, b > 1 ? 1 : 0; }',
    '(a, b) => (1 + a < b) * 2 ? -1 : (1 + a > b) * 2 ? 1 : 0',
    '(a, b, { k }) => k[a] < k[b] ? -1 : k[a] > k[b] ? 1 : 0',
    'function (a, b) { a = 1; return a * 2 < b * 2 ? -1 : a * 2 > b * 2 ? 1 : 0; }',
  ])('leaves %s', (text) => {
    const compare = made(text);
    expect(branchless(compare)).toBe(compare);
  });

  test('leaves what uses a function of Math that was replaced', () => {
    const { abs } = Math;
    try {
      Math.abs = (x) => abs(x);
      const compare = made('(a, b) => Math.abs(a) < Math.abs(b) ? -1 : Math.abs(a) > Math.abs(b) ? 1 : 0');
      expect(branchless(compare)).toBe(compare);
    } finally {
      Math.abs = abs;
    }
  });

  test('answers the same, number for number and error for error', () => {
    let changed = 0;
    const texts = fc
      .tuple(
        operand,
        fc.option(operand, { freq: 4 }),
        fc.option(fc.constantFrom('X', 'Y'), { freq: 4 }),
        operand,
        fc.constantFrom(...TERNARIES),
        fc.constantFrom(...FRAMES),
      )
      .map(([x, y, changed, other, ternary, frame]) => {
        const left = x.replaceAll('#', 'a');
        const right = (y ?? x).replaceAll('#', 'b');
        const differs = other.replaceAll('#', changed === 'Y' ? 'b' : 'a'); // where an operand comes first
        const text = changed === null ? ternary : ternary.replace(changed, () => differs);
        return frame.replace('T', () => text.replaceAll('X', () => left).replaceAll('Y', () => right));
      });
    fc.assert(
      fc.property(texts, (text) => {
        let compare: Compare;
        try {
          compare = made(text);
        } catch {
          return; // it does not compile
        }
        if (typeof compare !== 'function') return; // a comma ended it
        const other = branchless(compare) as Compare;
        if (other === compare) return;
        changed++;
        expect(answersOf(other)).toEqual(answersOf(compare)); // one assertion: one for each pair would be a million
      }),
      { numRuns: 5000, interruptAfterTimeLimit: TEST_HANG_MS },
    );
    expect(changed).toBeGreaterThan(500);
  });
});
