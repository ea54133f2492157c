/** What an element is taken to cost. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Cost } from '../../../../src/algorithms/schedule/cost.js';
import { POOL_DOUBT } from '../../../../src/algorithms/tuning.js';

/** Long enough to be believed, at a thousand elements. */
const telling = fc.double({ min: 50, max: 1e9, noNaN: true });
const costing = (ns: number): Cost => {
  const cost = new Cost();
  cost.note(1000, ns / 1000);
  return cost;
};

describe('the cost of an element', () => {
  test('is what one thread last measured', () => {
    fc.assert(
      fc.property(telling, telling, (before, ns) => {
        const cost = costing(before);
        cost.note(1000, ns / 1000);
        expect(cost.nsPerElement).toBeCloseTo(ns, 3);
      }),
    );
  });

  test('falls at once to what a pool measured, and rises slowly', () => {
    fc.assert(
      fc.property(telling, telling, (before, ns) => {
        const cost = costing(before);
        cost.noteShared(1000, ns / 1000);
        expect(cost.nsPerElement).toBeCloseTo(ns < before ? ns : before + (ns - before) / POOL_DOUBT, 3);
      }),
    );
  });

  test('is what a pool measured where nothing is known', () => {
    const cost = new Cost();
    cost.noteShared(1000, 0.5);
    expect(cost.nsPerElement).toBe(500);
    expect(cost.estimateUs(2000)).toBe(1000);
  });

  test('does not rise by a measurement too short to tell', () => {
    const cost = costing(10);
    cost.noteShared(10, 0.023);
    expect(cost.nsPerElement).toBeCloseTo(10);
  });
});

describe('Cost', () => {
  test('is unknown at first, then what was measured', () => {
    const cost = new Cost();
    expect(cost.estimateUs(1)).toBe(Number.POSITIVE_INFINITY);
    cost.note(1000, 1);
    expect(cost.nsPerElement).toBe(1000);
    expect(cost.estimateUs(5)).toBe(5);
  });

  test('follows long measurements both ways, and short ones down only', () => {
    const cost = new Cost();
    cost.note(1000, 1);
    cost.note(1000, 2);
    expect(cost.nsPerElement).toBe(2000);
    cost.note(1, 0.01);
    expect(cost.nsPerElement).toBe(2000);
    cost.note(10, 0.005);
    expect(cost.nsPerElement).toBe(500);
  });

  test('takes a clock that did not move for a short time, not for none', () => {
    const cost = new Cost();
    cost.note(4, 0);
    expect(cost.nsPerElement).toBeGreaterThan(0);
  });
});
