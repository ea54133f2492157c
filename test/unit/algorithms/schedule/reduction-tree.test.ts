import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Partials, treeValue } from '../../../../src/algorithms/schedule/reduction-tree.js';

const show = (a: unknown, b: unknown): string => `(${a}${b})`;

/** The documented tree: halves at the largest power of two below the length. */
function tree(lo: number, hi: number): string {
  if (hi - lo === 1) return `${lo} `;
  const half = 2 ** (Math.ceil(Math.log2(hi - lo)) - 1);
  return show(tree(lo, lo + half), tree(lo + half, hi));
}

describe('the nodes of a reduction', () => {
  test('form the documented tree from blocks that come one by one', () => {
    for (let n = 1; n < 70; n++) {
      const partials = new Partials(show);
      for (let b = 0; b < n; b++) partials.push(b, `${b} `);
      expect(partials.result()).toBe(tree(0, n));
    }
  });

  test('form the same tree however the blocks were cut into runs, and whichever thread ran which of them, in any order', () => {
    const run = fc.record({ cut: fc.nat(), thread: fc.nat({ max: 3 }), turn: fc.nat() });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.array(run, { minLength: 1, maxLength: 20 }), (n, runs) => {
        const bounds = [...new Set([0, n, ...runs.map(({ cut }) => cut % n)])].sort((a, b) => a - b);
        const threads = [0, 1, 2, 3].map(() => new Partials(show));
        const pieces = bounds.slice(1).map((hi, i) => ({ lo: bounds[i]!, hi, ...runs[i % runs.length]! }));
        for (const { lo, hi, thread } of pieces.sort((a, b) => a.turn - b.turn)) {
          for (let b = lo; b < hi; b++) threads[thread]!.push(b, `${b} `);
        }
        const lists = threads.flatMap((thread) => thread.list());
        expect(treeValue(lists, show)).toBe(tree(0, n));
      }),
    );
  });

  test('are few: two for each doubling of the range', () => {
    fc.assert(
      fc.property(fc.nat({ max: 500 }), fc.integer({ min: 1, max: 2000 }), (lo, length) => {
        const part = new Partials(show);
        for (let b = lo; b < lo + length; b++) part.push(b, '');
        const [first, end, ...values] = part.list();
        expect([first, end]).toEqual([lo, lo + length]);
        expect(values.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(length + 1)));
      }),
    );
  });
});
