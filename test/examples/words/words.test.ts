import fc from 'fast-check';
import { ForkJoinPool } from 'furcate';
import { afterAll, describe, expect, test } from 'vitest';
import { makeText, stringOf, wordsOf } from '../../../examples/words/text.js';
import {
  type Counted,
  countByCodes,
  countByCounters,
  countByMap,
  countBytes,
  countStringOf,
  sameCounts,
  sortByCodes,
  sortStrings,
} from '../../../examples/words/ways.js';
import { WordTable } from '../../../examples/words/word-table.js';
import { runNode } from '../../helpers/child-process.js';

const runMain = (...args: string[]) => runNode('--import', 'tsx', 'examples/words/main.ts', ...args);

const pool = new ForkJoinPool({ parallelism: 2, preload: ['furcate/tsx'] });
afterAll(() => pool.close());

const text = makeText({ words: 60_000, vocabulary: 5000 });
const words = wordsOf(stringOf(text));
const expected = countByMap(words);

describe('the text', () => {
  test('has the words that were asked for, the first one most often, and is the same each time', () => {
    expect(words.length).toBe(60_000);
    expect(Math.max(...expected.values())).toBe(expected.get('ba'));
    expect(expected.size).toBeGreaterThan(4000);
    expect(Buffer.from(makeText({ words: 60_000, vocabulary: 5000 })).equals(Buffer.from(text))).toBe(true);
    expect(makeText({ words: 1, vocabulary: 1 })).toHaveLength(2);
  });
});

describe('all ways', () => {
  test('count what a plain Map counts', async () => {
    const ways: readonly Counted[] = [
      countByCounters(words),
      await countByCodes(words, pool),
      await countBytes(text, pool),
      await countBytes(text, pool, 10_000),
    ];
    expect(ways.map((counted) => sameCounts(expected, counted))).toEqual([true, true, true, true]);
    expect(countStringOf(text)).toEqual(expected);
  });

  test('sort as plain strings are sorted', async () => {
    const some = words.slice(0, 20_000);
    expect(await sortByCodes(some, pool)).toEqual(sortStrings(some));
  });

  test('are checked by a comparison that sees each difference', () => {
    const right = countByCounters(words);
    const counts = Array.from(right.counts);
    expect(sameCounts(expected, { ...right, counts: counts.with(7, counts[7] + 1) })).toBe(false);
    expect(sameCounts(expected, { words: right.words.slice(1), counts: counts.slice(1) })).toBe(false);
    expect(sameCounts(expected, { words: Object.assign([...right.words], { 3: 'other' }), counts })).toBe(false);
  });
});

describe('the table of words', () => {
  test('counts every word once, wherever the text is cut, in any script', async () => {
    const someText = fc.array(fc.constantFrom('a', 'b', 'ab', 'ä', '語', '語彙', ' ', '\n', '  '), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(someText, fc.array(fc.nat(100), { maxLength: 5 }), async (pieces, places) => {
        const bytes = new TextEncoder().encode(pieces.join(''));
        const cuts = [0, ...places.filter((at) => at < bytes.length).sort((a, b) => a - b), bytes.length];
        const whole = new WordTable(bytes);
        const merged = new WordTable(bytes);
        whole.addWords(0, bytes.length);
        for (let i = 1; i < cuts.length; i++) {
          const part = new WordTable(bytes);
          part.addWords(cuts[i - 1], cuts[i]);
          merged.addEntries(part.entries);
        }
        expect(merged.entries).toEqual(whole.entries);
        const plain = countByMap(
          pieces
            .join('')
            .split(/[ \n]+/)
            .filter((word) => word !== ''),
        );
        const counts = Array.from({ length: plain.size }, (_, i) => whole.entries[4 * i + 3]);
        expect(counts).toEqual([...plain.values()]);
      }),
    );
  });
});

describe('the program', () => {
  test('compares the ways, and ends with 0', async () => {
    const { code, stdout } = await runMain('--words', '30000');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^30000 words, \d+ distinct/);
    expect(stdout).toMatch(/tasks over shared bytes +\d+ ms/);
    expect(stdout).not.toMatch(/WRONG/);
  });

  test.each([
    [['--fast'], /--fast/],
    [['--words', 'many'], /--words needs a whole number of at least 1, but got 'many'/],
    [['--words', '0'], /got '0'/],
  ])('exits with 2 and says what is wrong with %j', async (args, message) => {
    const { code, stderr } = await runMain(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/Usage: npm run words/);
  });
});
