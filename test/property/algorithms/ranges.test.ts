/** The ranges of lanes under any schedule of whole operations; test/model has what may happen between two accesses. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  claim,
  drop,
  endOf,
  failureIn,
  firstOf,
  lanesIn,
  leastFailure,
  MAX_TILES,
  NO_TILE,
  NONE,
  noteFailure,
  rangeWords,
  shareOut,
  steal,
} from '../../../src/algorithms/schedule/ranges.js';

const cases = fc.record({
  tiles: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: MAX_TILES })),
  lanes: fc.integer({ min: 1, max: 9 }),
  spare: fc.integer({ min: 0, max: 3 }),
  /** Tiles that were done before. */
  done: fc.integer({ min: 0, max: 5 }),
  together: fc.constantFrom(1, 4),
  wanted: fc.constantFrom(1, 3, 16, 1000, 10 ** 9),
  /** Which lane goes on, of those that still run. */
  turns: fc.infiniteStream(fc.nat(100)),
});

/** What the words say at first is any value. */
const wordsFor = (lanes: number): Int32Array => new Int32Array(rangeWords(lanes)).fill(-559_038_737);

test('every tile is claimed once, by lanes in any order, and all ranges are empty in the end', () => {
  fc.assert(
    fc.property(cases, ({ tiles: most, lanes, spare, done, together, wanted, turns }) => {
      const words = wordsFor(lanes + spare);
      expect(lanesIn(words)).toBe(lanes + spare);
      const tiles = Math.min(MAX_TILES, done + most);
      shareOut(words, done, tiles, lanes, together);
      const claimed = new Uint8Array(tiles).fill(1, 0, done);
      const running = Array.from({ length: lanes }, (_, lane) => lane);
      let largest = 0;
      while (running.length > 0) {
        const at = (turns.next().value as number) % running.length;
        const lane = running[at] as number;
        let range = claim(words, lane, wanted, together);
        if (range === NONE) range = steal(words, lane, wanted, together);
        for (let tile = firstOf(range); tile < endOf(range); tile++) (claimed[tile] as number)++;
        if (range === NONE) running.splice(at, 1);
        else largest = Math.max(largest, endOf(range) - firstOf(range));
      }
      expect(largest).toBeLessThanOrEqual(wanted);
      expect(claimed.every((times) => times === 1)).toBe(true);
    }),
  );
});

test('shares differ by at most one group of units, and begin with a group', () => {
  fc.assert(
    fc.property(cases, ({ tiles, lanes, together }) => {
      const words = wordsFor(lanes);
      shareOut(words, 0, tiles, lanes, together);
      let sum = 0;
      for (let lane = 0; lane < lanes; lane++) {
        let share = 0;
        let first = -1;
        for (;;) {
          const range = claim(words, lane, MAX_TILES, 1);
          if (range === NONE) break;
          if (first < 0) first = firstOf(range);
          share += endOf(range) - firstOf(range);
        }
        expect(Math.abs(share - tiles / lanes)).toBeLessThanOrEqual(together + 1);
        if (share > 2 * together) expect(first % together).toBe(0);
        sum += share;
      }
      expect(sum).toBe(tiles);
    }),
  );
});

test('a claim leaves three quarters of the range to thieves, but does not become too small', () => {
  const words = wordsFor(2);
  shareOut(words, 0, 800, 2, 1);
  expect(claim(words, 0, 1, 1)).toBe(0 | (1 << 16));
  expect(endOf(claim(words, 0, 10 ** 6, 1)) - 1).toBe(399); // a thirty-second of what was wanted is more
  shareOut(words, 0, 800, 2, 1);
  expect(endOf(claim(words, 0, 1000, 1))).toBe(100);
  expect(endOf(claim(words, 0, 1000, 1))).toBe(175);
});

test('a thief takes the back half of the fullest range, and the last tile too, and has claimed the first tiles of it', () => {
  const words = wordsFor(3);
  shareOut(words, 0, 90, 3, 1);
  drop(words, 0);
  claim(words, 1, 10, 1);
  expect(steal(words, 0, 1, 1)).toBe(75 | (76 << 16)); // of lane 2: 60 to 90
  expect(claim(words, 0, 1, 1)).toBe(76 | (77 << 16));
  expect(claim(words, 2, 1, 1)).toBe(60 | (61 << 16));
  shareOut(words, 0, 1, 2, 1);
  expect(steal(words, 0, 5, 1)).toBe(0 | (1 << 16));
  expect(claim(words, 0, 5, 1)).toBe(NONE);
  expect(steal(words, 0, 5, 1)).toBe(NONE);
});

test('a thief claims as much of what it takes as it would claim of a range of its own', () => {
  const words = wordsFor(2);
  shareOut(words, 0, 800, 1, 1);
  const stolen = steal(words, 1, 1000, 1);
  expect([firstOf(stolen), endOf(stolen)]).toEqual([400, 500]);
});

test('the least failure is that of all lanes, and each lane keeps its own', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(2), fc.nat(MAX_TILES - 1)), { maxLength: 20 }), (failures) => {
      const words = wordsFor(3);
      shareOut(words, 0, 10, 3, 1);
      expect(leastFailure(words)).toBe(NO_TILE);
      for (const [lane, tile] of failures) noteFailure(words, lane, tile);
      const least = (of: readonly (readonly [number, number])[]): number =>
        Math.min(NO_TILE, ...of.map(([, tile]) => tile));
      expect(leastFailure(words)).toBe(least(failures));
      for (let lane = 0; lane < 3; lane++) {
        expect(failureIn(words, lane)).toBe(least(failures.filter(([of]) => of === lane)));
      }
    }),
  );
});
