import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { binOf, clearFreeLists, findFree, insertFree, removeFree } from '../../../../src/core/memory/allocator.js';
import {
  BASE_UNITS,
  BIN_COUNT,
  H_SIZE,
  NO_BLOCK,
  STATE_BITS,
  UNIT_WORDS_SHIFT,
} from '../../../../src/core/memory/heap-layout.js';

/** Sizes of every magnitude: the lists know sizes, not places, so that blocks may lie closer than they are long. */
const units = fc.integer({ min: 1, max: 27 }).chain((log2) => fc.integer({ min: 2 ** log2, max: 2 ** (log2 + 1) - 1 }));

const MAX_BLOCKS = 20;

function lists(): Int32Array {
  const words = new Int32Array((BASE_UNITS + MAX_BLOCKS) << UNIT_WORDS_SHIFT);
  clearFreeLists(words);
  return words;
}

function insert(words: Int32Array, index: number, size: number): number {
  const unit = BASE_UNITS + index;
  words[(unit << UNIT_WORDS_SHIFT) + H_SIZE] = size << STATE_BITS;
  insertFree(words, unit, size);
  return unit;
}

describe('the free lists', () => {
  test('are ordered by size, within their number', () => {
    fc.assert(
      fc.property(units, units, (a, b) => {
        const [small, large] = a < b ? [a, b] : [b, a];
        expect(binOf(small)).toBeLessThanOrEqual(binOf(large));
        expect(binOf(large)).toBeLessThan(BIN_COUNT);
      }),
    );
  });

  test('give a block that fits whenever there is one, and the best to within a sixteenth', () => {
    fc.assert(
      fc.property(fc.array(units, { maxLength: MAX_BLOCKS }), units, (sizes, wanted) => {
        const words = lists();
        const sizeOf = new Map(sizes.map((size, i) => [insert(words, i, size), size]));
        const fitting = sizes.filter((size) => size >= wanted);
        const found = findFree(words, wanted);
        if (fitting.length === 0) expect(found).toBe(NO_BLOCK);
        else {
          const best = Math.min(...fitting);
          expect(sizeOf.get(found)).toBeGreaterThanOrEqual(wanted);
          expect(binOf(sizeOf.get(found) as number)).toBe(binOf(best));
        }
      }),
      { numRuns: 500 },
    );
  });

  test('give each block once, and none when all are taken', () => {
    fc.assert(
      fc.property(fc.array(units, { maxLength: MAX_BLOCKS }), (sizes) => {
        const words = lists();
        const sizeOf = new Map(sizes.map((size, i) => [insert(words, i, size), size]));
        for (let unit = findFree(words, 1); unit !== NO_BLOCK; unit = findFree(words, 1)) {
          removeFree(words, unit, sizeOf.get(unit) as number);
          expect(sizeOf.delete(unit)).toBe(true);
        }
        expect(sizeOf.size).toBe(0);
        for (let wanted = 2; wanted < 2 ** 27; wanted *= 3) expect(findFree(words, wanted)).toBe(NO_BLOCK);
      }),
      { numRuns: 200 },
    );
  });
});
