import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Cost } from '../../../../src/algorithms/schedule/cost.js';
import { Grain } from '../../../../src/algorithms/schedule/grain.js';
import { splitRange } from '../../../../src/algorithms/schedule/split.js';
import {
  HUNGRY_LEAF_US,
  LEAF_US,
  LEAVES_PER_THREAD,
  LONE_LEAF_US,
  MAX_GROWTH,
} from '../../../../src/algorithms/tuning.js';
import type { Fork } from '../../../../src/core/task/function-task.js';
import { reset } from '../../../helpers/simulated-core.js';

vi.mock(
  '../../../../src/core/worker/checkpoint.js',
  async () => (await import('../../../helpers/simulated-core.js')).checkpoints,
);
vi.mock('../../../../src/core/task/function-task.js', () => ({ join: (handle: number) => handle }));

beforeEach(() => reset({ hunger: 0 }));

const MILLION = 1e6;

describe('Cost', () => {
  it('is unknown at first, then what was measured', () => {
    const cost = new Cost();
    expect(cost.estimateUs(1)).toBe(Number.POSITIVE_INFINITY);
    cost.note(1000, 1);
    expect(cost.nsPerElement).toBe(1000);
    expect(cost.estimateUs(5)).toBe(5);
  });

  it('follows long measurements both ways, and short ones down only', () => {
    const cost = new Cost();
    cost.note(1000, 1);
    cost.note(1000, 2);
    expect(cost.nsPerElement).toBe(2000);
    cost.note(1, 0.01);
    expect(cost.nsPerElement).toBe(2000);
    cost.note(10, 0.005);
    expect(cost.nsPerElement).toBe(500);
  });

  it('takes a clock that did not move for a short time, not for none', () => {
    const cost = new Cost();
    cost.note(4, 0);
    expect(cost.nsPerElement).toBeGreaterThan(0);
  });
});

describe('Grain', () => {
  it('begins with one unit, and grows with what was measured', () => {
    const grain = new Grain({ cost: new Cost(), unitElements: 1, units: MILLION, threshold: 0, parallelism: 2 });
    expect(grain.leafUnits(false)).toBe(1);
    grain.note(1, 0);
    expect(grain.leafUnits(false)).toBe(MAX_GROWTH);
    grain.note(1000, 0.001);
    expect(grain.leafUnits(false)).toBe(MAX_GROWTH * 1000);
  });

  it('aims at a time for a leaf, a shorter one while somebody waits', () => {
    const grain = new Grain({ cost: new Cost(), unitElements: 1, units: MILLION, threshold: 0, parallelism: 2 });
    grain.note(1000, 0.1); // 100 ns each
    expect(grain.leafUnits(false)).toBe(LEAF_US * 10);
    expect(grain.leafUnits(true)).toBe(HUNGRY_LEAF_US * 10);
    const lone = new Grain({ cost: new Cost(), unitElements: 1, units: MILLION, threshold: 0, parallelism: 1 });
    lone.note(1000, 0.1);
    expect(lone.leafUnits(false)).toBe(LONE_LEAF_US * 10);
  });

  it('counts in units', () => {
    const grain = new Grain({ cost: new Cost(), unitElements: 64, units: MILLION / 64, threshold: 0, parallelism: 2 });
    grain.note(100, 0.64); // 6400 elements at 100 ns
    expect(grain.leafUnits(false)).toBe(Math.floor((LEAF_US * 10) / 64));
  });

  it('leaves some leaves to every thread, however cheap they are', () => {
    const grain = new Grain({ cost: new Cost(), unitElements: 1, units: 1000, threshold: 0, parallelism: 5 });
    grain.note(1000, 0.001);
    expect(grain.leafUnits(false)).toBe(1000 / LEAVES_PER_THREAD / 5);
  });

  it('cuts and runs whole groups of units that are faster together, once a leaf has one', () => {
    const grain = new Grain({
      cost: new Cost(),
      unitElements: 1,
      units: MILLION,
      threshold: 0,
      parallelism: 2,
      together: 4,
    });
    expect([grain.blockUnits(3), grain.middle(0, 10, 3)]).toEqual([2, 5]);
    expect([4, 6, 9, 17].map((leaf) => grain.blockUnits(leaf))).toEqual([4, 4, 8, 12]);
    expect([8, 10, 101].map((hi) => grain.middle(0, hi, 4))).toEqual([4, 8, 52]);
    expect(grain.middle(4, 9, 4)).toBe(8);
    expect(grain.middle(4, 8, 4)).toBe(6); // never to the end
  });

  it('obeys a threshold, which is in elements, and takes a leaf whole then', () => {
    const grain = new Grain({ cost: new Cost(), unitElements: 8, units: MILLION, threshold: 100, parallelism: 2 });
    expect(grain.leafUnits(false)).toBe(12);
    expect(grain.leafUnits(true)).toBe(12);
    expect(grain.blockUnits(12)).toBe(12);
    expect(
      new Grain({ cost: new Cost(), unitElements: 8, units: MILLION, threshold: 1, parallelism: 2 }).leafUnits(false),
    ).toBe(1);
  });
});

describe('splitRange', () => {
  /** Forks are bounds as text, joined from left to right; blocks are what the task keeps. */
  const trace = (lo: number, hi: number, grain: Grain, stopAt?: number): string[] => {
    const seen: string[] = [];
    splitRange<string>(
      lo,
      hi,
      grain,
      (from, to) => `${from}-${to}` as unknown as Fork<string>,
      (from, to) => {
        seen.push(`run ${from}-${to}`);
        return stopAt === undefined ? to - from : Math.max(0, Math.min(to, stopAt) - from);
      },
      (part, from, to) => seen.push(`join ${part}`, `is ${from}-${to}`),
    );
    return seen;
  };

  it('forks right halves until a leaf is left, runs it, and joins from left to right', () => {
    const grain = new Grain({ cost: new Cost(), unitElements: 1, units: 10, threshold: 3, parallelism: 2 });
    expect(trace(0, 10, grain)).toEqual(['run 0-3', 'join 3-5', 'is 3-5', 'join 5-10', 'is 5-10']);
  });

  it('runs no more blocks after one that was cut short, and still joins what it forked', () => {
    const grain = new Grain({ cost: new Cost(), unitElements: 1, units: 10, threshold: 3, parallelism: 2 });
    expect(trace(0, 10, grain, 2)).toEqual(['run 0-3', 'join 3-5', 'is 3-5', 'join 5-10', 'is 5-10']);
    const fine = new Grain({ cost: new Cost(), unitElements: 1, units: 2, threshold: 1, parallelism: 2 });
    expect(trace(0, 2, fine, 0)).toEqual(['run 0-1', 'join 1-2', 'is 1-2']);
  });

  it('cuts what is left again when elements turn out to be dearer than measured', () => {
    const cost = new Cost();
    cost.note(MILLION, 0.1);
    const grain = new Grain({ cost, unitElements: 1, units: 100, threshold: 0, parallelism: 1 });
    const forks: string[] = [];
    splitRange<number>(
      0,
      100,
      grain,
      (from, to) => {
        forks.push(`${from}-${to}`);
        return 0 as Fork<number>;
      },
      (from, to) => {
        const end = performance.now() + 0.5;
        while (performance.now() < end);
        return to - from;
      },
      () => {},
    );
    expect(forks.slice(0, 4)).toEqual(['50-100', '25-50', '13-25', '10-13']);
  });
});
