/** How many units go into a chunk, and into a tile. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Cost } from '../../../../src/algorithms/schedule/cost.js';
import { Grain } from '../../../../src/algorithms/schedule/grain.js';
import { MAX_TILES } from '../../../../src/algorithms/schedule/ranges.js';
import { CHUNK_US, LONE_CHUNK_US, MAX_GROWTH } from '../../../../src/algorithms/tuning.js';

const MILLION = 1e6;

describe('Grain', () => {
  test('begins with one unit, and grows with what was measured', () => {
    const grain = new Grain({ cost: new Cost(), unitElements: 1, units: MILLION, threshold: 0, parallelism: 2 });
    expect(grain.chunkUnits()).toBe(1);
    grain.note(1, 0);
    expect(grain.chunkUnits()).toBe(MAX_GROWTH);
    grain.note(1000, 0.001);
    expect(grain.chunkUnits()).toBe(MAX_GROWTH * 1000);
  });

  test('aims at a duration of a chunk, a longer one where there are no thieves', () => {
    const grain = new Grain({ cost: new Cost(), unitElements: 1, units: MILLION, threshold: 0, parallelism: 2 });
    grain.note(1000, 0.1); // 100 ns each
    expect(grain.chunkUnits()).toBe(CHUNK_US * 10);
    const lone = new Grain({ cost: new Cost(), unitElements: 1, units: MILLION, threshold: 0, parallelism: 1 });
    lone.note(1000, 0.1);
    expect(lone.chunkUnits()).toBe(LONE_CHUNK_US * 10);
  });

  test('counts in units', () => {
    const grain = new Grain({ cost: new Cost(), unitElements: 64, units: MILLION / 64, threshold: 0, parallelism: 2 });
    grain.note(100, 0.64); // 6400 elements at 100 ns
    expect(grain.chunkUnits()).toBe(Math.floor((CHUNK_US * 10) / 64));
  });

  test('ends chunks behind whole groups of units that are faster together, once a chunk has one', () => {
    const cost = new Cost();
    const grain = new Grain({ cost, unitElements: 1, units: MILLION, threshold: 0, parallelism: 2, together: 4 });
    expect([grain.chunkUnits(), grain.chunkEnd(5, 100)]).toEqual([1, 6]);
    cost.note(MILLION, (10 * CHUNK_US) / 1000); // then a chunk is of 100,000
    expect(grain.chunkEnd(0, MILLION)).toBe(100_000);
    expect(grain.chunkEnd(3, MILLION)).toBe(100_000);
    expect(grain.chunkEnd(7, 90_001)).toBe(90_001); // the end is the end
  });

  test('obeys a threshold, which is in elements', () => {
    const grain = new Grain({
      cost: new Cost(),
      unitElements: 8,
      units: MILLION,
      threshold: 100,
      parallelism: 2,
      together: 4,
    });
    expect(grain.chunkUnits()).toBe(12);
    expect(grain.chunkEnd(1, 100)).toBe(13);
    expect(grain.tileUnits(1000)).toBe(12);
    expect(
      new Grain({ cost: new Cost(), unitElements: 8, units: MILLION, threshold: 1, parallelism: 2 }).chunkUnits(),
    ).toBe(1);
  });

  test('makes tiles of so many units that a range word can hold them: whole groups, or whole chunks of a threshold', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: 1, max: 200_000 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
        fc.constantFrom(0, 1, 7, 1000, 10 ** 9),
        fc.constantFrom(1, 4),
        (units, threshold, together) => {
          const grain = new Grain({ cost: new Cost(), unitElements: 1, units, threshold, parallelism: 2, together });
          const tile = grain.tileUnits(units);
          expect(Math.ceil(units / tile)).toBeLessThanOrEqual(MAX_TILES);
          if (threshold > 0) expect(tile % threshold).toBe(0);
          else if (tile > 1) expect(tile % together).toBe(0);
          if (threshold === 0) expect(tile).toBeLessThan(Math.ceil(units / MAX_TILES) + together);
        },
      ),
    );
  });
});
