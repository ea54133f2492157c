/** The sample that scripts/mutate.ts measures: a seed repeats it, and its parts share it out. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyOf, mutantsOf, rangeOf, sampleOf } from '../../../scripts/mutation/sample.js';

const siteNamed = (replacement: string) => ({
  fileName: `${process.cwd()}/src/index.ts`,
  mutatorName: 'ConditionalExpression',
  replacement,
  location: { start: { line: 1, column: 2 }, end: { line: 1, column: 9 } },
});
type Site = ReturnType<typeof siteNamed>;

const sites = fc.uniqueArray(fc.string(), { maxLength: 100 }).map((names) => names.map(siteNamed));
const seed = fc.nat();
const size = fc.nat({ max: 120 });

test('a sample has the size that was asked for, and no mutant twice', () => {
  fc.assert(
    fc.property(sites, seed, size, (all, seed, size) => {
      const sample = sampleOf(all, { seed, size, part: 1, parts: 1 });
      expect(sample).toHaveLength(size === 0 ? all.length : Math.min(size, all.length));
      expect(new Set(sample).size).toBe(sample.length);
      expect(all).toEqual(expect.arrayContaining(sample));
    }),
  );
});

test('the order of the mutants does not matter, only the seed', () => {
  fc.assert(
    fc.property(sites, seed, size, (all, seed, size) => {
      const sampling = { seed, size, part: 1, parts: 1 };
      expect(sampleOf([...all].reverse(), sampling)).toEqual(sampleOf(all, sampling));
    }),
  );
  const all = Array.from({ length: 100 }, (_, i) => siteNamed(`${i}`));
  const of = (seed: number) => sampleOf(all, { seed, size: 10, part: 1, parts: 1 });
  expect(of(1)).not.toEqual(of(2));
});

test('the parts of a sample are disjoint and make it whole', () => {
  fc.assert(
    fc.property(sites, seed, size, fc.integer({ min: 1, max: 7 }), (all, seed, size, parts) => {
      const shares = Array.from({ length: parts }, (_, i) => sampleOf(all, { seed, size, part: i + 1, parts }));
      const names = (sample: Site[]) => sample.map(({ replacement }) => replacement).sort();
      expect(names(shares.flat())).toEqual(names(sampleOf(all, { seed, size, part: 1, parts: 1 })));
    }),
  );
});

test('mutants at one place have different keys', () => {
  expect(keyOf(siteNamed('true'))).toBe('src/index.ts:1:2-1:9 ConditionalExpression true');
  expect(keyOf(siteNamed('true'))).not.toBe(keyOf(siteNamed('false')));
});

test('a range counts lines from 1, as the option mutate does', () => {
  expect(rangeOf(siteNamed('true'))).toBe('src/index.ts:2:2-2:9');
});

test('every mutant of the source lies in its file, and no two share a key', async () => {
  const mutants = await mutantsOf(['src/core/deque/private-stack.ts'], ['StringLiteral']);
  expect(mutants.length).toBeGreaterThan(50);
  expect(mutants.map(({ mutatorName }) => mutatorName)).not.toContain('StringLiteral');
  expect(new Set(mutants.map(keyOf)).size).toBe(mutants.length);
});
