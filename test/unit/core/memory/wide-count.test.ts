/** Counts of more than 32 bits: exact, however they wrap. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addCount, COUNT_WORDS, readCount } from '../../../../src/core/memory/wide-count.js';

const near = fc.oneof(
  fc.nat(),
  fc.bigInt({ min: 0n, max: 2n ** 50n }).map(Number),
  fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: -2, max: 2 })).map(([k, by]) => k * 2 ** 32 + by),
);

test('the sum of all that was added, beyond 2^32 too', () => {
  fc.assert(
    fc.property(fc.array(near, { maxLength: 6 }), (counts) => {
      const words = new Int32Array(1 + COUNT_WORDS);
      for (const count of counts) addCount(words, 1, count);
      expect(readCount(words, 1)).toBe(counts.reduce((a, b) => a + b, 0));
      expect(words[0]).toBe(0);
    }),
  );
});
