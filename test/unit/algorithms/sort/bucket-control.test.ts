import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { layoutOf, wantedFor } from '../../../../src/algorithms/sort/bucket-control.js';

describe('the control array of a sort by buckets', () => {
  test('has room for whatever part of the elements is partitioned again', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 8193, max: 2 ** 29 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom(4, 8),
        fc.integer({ min: 1, max: 64 }),
        (elements, share, bytes, parallelism) => {
          const layout = layoutOf(elements, bytes, parallelism, true);
          const count = Math.max(layout.bufferElements, Math.floor(share * elements));
          const chunkElements = layout.chunkOf(count);
          expect(chunkElements).toBeLessThanOrEqual(layout.chunkElements);
          expect(chunkElements % 4).toBe(0);
          const rows = Math.ceil(count / chunkElements);
          const words = rows * (3 * wantedFor(count) + 8);
          expect(words).toBeLessThanOrEqual(layout.ends - layout.places);
          expect(words).toBeLessThanOrEqual(layout.starts - layout.ends);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
