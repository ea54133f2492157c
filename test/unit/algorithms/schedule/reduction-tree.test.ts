import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Partials } from '../../../../src/algorithms/schedule/reduction-tree.js';

const show = (a: unknown, b: unknown): string => `(${a}${b})`;

/** The documented tree: halves at the largest power of two below the length. */
function tree(lo: number, hi: number): string {
  if (hi - lo === 1) return `${lo} `;
  const half = 2 ** (Math.ceil(Math.log2(hi - lo)) - 1);
  return show(tree(lo, lo + half), tree(lo + half, hi));
}

describe('Partials', () => {
  test('forms the documented tree from blocks that come one by one', () => {
    for (let n = 1; n < 70; n++) {
      const partials = new Partials(0, show);
      for (let b = 0; b < n; b++) partials.push(`${b} `);
      expect(partials.result()).toBe(tree(0, n));
    }
  });

  test('forms the same tree however the range was cut, each part by itself', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.array(fc.nat(), { maxLength: 20 }), (n, cuts) => {
        const bounds = [...new Set([0, n, ...cuts.map((cut) => cut % n)])].sort((a, b) => a - b);
        const whole = new Partials(0, show);
        for (let i = 0; i + 1 < bounds.length; i++) {
          const part = new Partials(bounds[i], show);
          for (let b = bounds[i]; b < bounds[i + 1]; b++) part.push(`${b} `);
          whole.append(part.values, bounds[i], bounds[i + 1]);
        }
        expect(whole.result()).toBe(tree(0, n));
      }),
    );
  });

  test('keeps few values: two for each doubling of the range', () => {
    fc.assert(
      fc.property(fc.nat({ max: 500 }), fc.integer({ min: 1, max: 2000 }), (lo, length) => {
        const part = new Partials(lo, show);
        for (let b = lo; b < lo + length; b++) part.push('');
        expect(part.values.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(length + 1)));
      }),
    );
  });
});
