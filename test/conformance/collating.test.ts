/** Sorts by a collator give what the built-in sort gives with the same collator, on every executor. */

import fc from 'fast-check';
import {
  type Executor,
  ForkJoinPool,
  parallelSort,
  parallelSortBy,
  parallelSortBySync,
  parallelSortSync,
  SequentialExecutor,
} from 'furcate';
import { afterAll, describe, expect, test } from 'vitest';
import { mayBlock } from '../helpers/caller.js';

const pools: { readonly name: string; readonly pool: Executor }[] = [
  { name: 'a sequential executor', pool: new SequentialExecutor() },
  ...[1, 2, 3].map((parallelism) => ({ name: `${parallelism} workers`, pool: new ForkJoinPool({ parallelism }) })),
];
afterAll(() => Promise.all(pools.map(({ pool }) => pool.close())));

/** More than are sorted at once on the caller, with many ties. */
const LENGTH = 2_000;
const word = fc.string({ unit: fc.constantFrom(...'aAäbBzß10-'), maxLength: 4 });
const collators = fc.constantFrom(
  new Intl.Collator('de'),
  new Intl.Collator('en', { numeric: true, sensitivity: 'base' }),
  new Intl.Collator('sv', { caseFirst: 'upper' }),
);

describe.each(pools)('on $name', ({ pool }) => {
  test('strings, and objects by strings, go as the collator has them, stably', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: LENGTH, maxLength: LENGTH }), collators, async (words, collator) => {
        const expected = [...words].sort(collator.compare);
        const sorted = [...words];
        expect(await parallelSort(sorted, { collator, pool })).toBe(sorted);
        expect(sorted).toEqual(expected);
        const items = words.map((text, at) => ({ text, at }));
        const byText = [...items].sort((a, b) => collator.compare(a.text, b.text));
        expect(await parallelSortBy([...items], ({ text }) => text, { collator, pool })).toEqual(byText);
        if (!mayBlock) return;
        expect(parallelSortSync([...words], { collator, pool })).toEqual(expected);
        expect(parallelSortBySync([...items], ({ text }) => text, { collator, pool })).toEqual(byText);
      }),
      { numRuns: 5 },
    );
  });

  test('a locale, lists of keys, directions and ties', async () => {
    const items = Array.from({ length: LENGTH }, (_, at) => ({ text: 'aäzAÄZ'[at % 6] as string, kind: at % 4, at }));
    const { compare } = new Intl.Collator('sv');
    const expected = [...items].sort((a, b) => b.kind - a.kind || compare(a.text, b.text) || b.at - a.at);
    const options = { descending: [true, false] as const, ties: (a: { at: number }, b: { at: number }) => b.at - a.at };
    const sorted = await parallelSortBy([...items], ({ kind, text }) => [kind, text] as const, {
      ...options,
      locale: ['sv', 'de'],
      pool,
    });
    expect(sorted).toEqual(expected);
  });

  test('none, one and few strings', async () => {
    for (const words of [[], ['b'], ['ä', 'z', 'a']])
      expect(await parallelSort([...words], { locale: 'de', pool })).toEqual(
        [...words].sort(new Intl.Collator('de').compare),
      );
  });
});

test('a sort that is aborted leaves the strings as they were', async () => {
  const words = Array.from({ length: 100_000 }, (_, at) => `${(at * 7919) % 100_003}`);
  const before = [...words];
  const controller = new AbortController();
  const sorting = parallelSort(words, { locale: 'en', pool: pools[2]?.pool, signal: controller.signal });
  controller.abort('enough');
  await expect(sorting).rejects.toMatchObject({ name: 'AbortError', cause: 'enough' });
  expect(words).toEqual(before);
});

test('what is wrong is refused by name', async () => {
  const words = ['b', 'a'];
  await expect(parallelSort(words, { collator: (() => 0) as never })).rejects.toThrow(
    /parallelSort: options\.collator must be an Intl\.Collator/,
  );
  await expect(parallelSort(words, { locale: 5 as never })).rejects.toThrow(/options\.locale must be a language tag/);
  await expect(parallelSort(words, { locale: 'no language' })).rejects.toThrow(RangeError);
  await expect(parallelSort(words, { locale: 'de', collator: new Intl.Collator() } as never)).rejects.toThrow(
    /left out beside options\.collator/,
  );
  await expect(parallelSort([1, 2, undefined] as never, { locale: 'de' })).rejects.toThrow(/parallelSort: key/);
  expect(words).toEqual(['b', 'a']);
});
