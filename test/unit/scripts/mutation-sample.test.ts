/** The sample that scripts/mutate.ts measures: a seed repeats it, and its parts share it out. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyOf, sampleOf } from '../../../scripts/mutation/sample.js';

const keys = fc.uniqueArray(fc.string(), { maxLength: 100 });
const seed = fc.nat();
const size = fc.nat({ max: 120 });

test('a sample has the size that was asked for, and no key twice', () => {
  fc.assert(
    fc.property(keys, seed, size, (all, seed, size) => {
      const sample = sampleOf(all, { seed, size, part: 1, parts: 1 });
      expect(sample).toHaveLength(size === 0 ? all.length : Math.min(size, all.length));
      expect(new Set(sample).size).toBe(sample.length);
      expect(all).toEqual(expect.arrayContaining(sample));
    }),
  );
});

test('the order of the mutants does not matter, only the seed', () => {
  fc.assert(
    fc.property(keys, seed, size, (all, seed, size) => {
      const sampling = { seed, size, part: 1, parts: 1 };
      expect(sampleOf([...all].reverse(), sampling)).toEqual(sampleOf(all, sampling));
    }),
  );
  const all = Array.from({ length: 100 }, (_, i) => `key ${i}`);
  const of = (seed: number) => sampleOf(all, { seed, size: 10, part: 1, parts: 1 });
  expect(of(1)).not.toEqual(of(2));
});

test('the parts of a sample are disjoint and make it whole', () => {
  fc.assert(
    fc.property(keys, seed, size, fc.integer({ min: 1, max: 7 }), (all, seed, size, parts) => {
      const shares = Array.from({ length: parts }, (_, i) => sampleOf(all, { seed, size, part: i + 1, parts }));
      expect(shares.flat().sort()).toEqual(sampleOf(all, { seed, size, part: 1, parts: 1 }).sort());
    }),
  );
});

test('mutants at one place have different keys', () => {
  const site = {
    fileName: `${process.cwd()}/src/index.ts`,
    mutatorName: 'ConditionalExpression',
    location: { start: { line: 1, column: 2 }, end: { line: 1, column: 9 } },
  };
  expect(keyOf({ ...site, replacement: 'true' })).toBe('src/index.ts:1:2-1:9 ConditionalExpression true');
  expect(keyOf({ ...site, replacement: 'true' })).not.toBe(keyOf({ ...site, replacement: 'false' }));
});
