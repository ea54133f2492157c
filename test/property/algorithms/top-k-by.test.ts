import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { parallelSortBySync, type SortKey } from '../../../src/algorithms/sort/sort-by.js';
import { parallelTopK, parallelTopKSync } from '../../../src/algorithms/sort/top-k.js';
import { registerHost } from '../../../src/core/platform/host.js';
import { detectNode } from '../../../src/core/platform/node.js';
import { follow, schedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

vi.mock('../../../src/algorithms/tuning.js', async (original) =>
  (await import('../../helpers/simulated-core.js')).shortSorts(original as never),
);

registerHost(detectNode); // the promise forms give the event loop turns
beforeEach(() => reset());

interface Item {
  readonly key: SortKey | readonly SortKey[];
  readonly at: number;
}

const someNumber = fc.oneof(fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY), fc.double(), fc.nat(9));
const kinds: readonly fc.Arbitrary<SortKey>[] = [
  someNumber,
  fc.string({ maxLength: 3 }),
  fc.bigInt({ max: 2n ** 70n }),
];
const oneKind = <K>(of: (kind: fc.Arbitrary<SortKey>) => fc.Arbitrary<K>): fc.Arbitrary<K[]> =>
  fc.constantFrom(...kinds).chain((kind) => fc.array(of(kind), { maxLength: 900, size: 'max' }));
const someKeys = fc.oneof(
  oneKind<Item['key']>((kind) => kind),
  oneKind<Item['key']>((kind) => fc.tuple(kind, fc.nat(3), fc.boolean().map(String))),
);
const someK = fc.oneof(fc.nat(20), fc.nat(1000));
const someTies = fc.constantFrom(undefined, (a: Item, b: Item): number => (b.at % 7) - (a.at % 7));

describe('parallelTopK by a key', () => {
  test('gives the first k items of parallelSortBy, descending unless it is told otherwise, and writes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        someKeys,
        someK,
        fc.constantFrom(undefined, false, true),
        someTies,
        schedule,
        async (keys, k, descending, ties, given) => {
          const items = keys.map((key, at): Item => ({ key, at }));
          const before = items.slice();
          const options = { ...(descending !== undefined && { descending }), ...(ties && { ties }) };
          const sorted = items.slice();
          parallelSortBySync(sorted, ({ key }) => key, { descending: true, ...options });
          const top = await parallelTopK(items, k, { key: ({ key }) => key, ...options, ...follow(given) });
          expect(top.length).toBe(Math.min(k, items.length));
          expect(top.every((item, i) => item === sorted[i])).toBe(true);
          expect(items.every((item, i) => item === before[i])).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('gives the indices of the first k items', async () => {
    const items = [{ n: 3 }, { n: 1 }, { n: 3 }, { n: 2 }];
    const key = ({ n }: { n: number }): number => n;
    expect(await parallelTopK(items, 3, { key, indices: true })).toEqual(Uint32Array.of(0, 2, 3));
    expect(parallelTopKSync(items, 2, { key, descending: false, indices: true })).toEqual(Uint32Array.of(1, 3));
    expect(parallelTopKSync(items, 2, { key, indices: false })).toEqual([{ n: 3 }, { n: 3 }]);
  });

  test('takes a direction for each part of the key', () => {
    const items = [1, 2, 2, 3, 3].map((size, at) => ({ size, at }));
    const options = { key: ({ size, at }: (typeof items)[number]): [number, number] => [size, at] };
    expect(parallelTopKSync(items, 2, { ...options, descending: [true, false] })).toEqual([items[3], items[4]]);
    expect(parallelTopKSync(items, 2, options)).toEqual([items[4], items[3]]);
    expect(parallelTopKSync(items, 2, { ...options, descending: [false, true] })).toEqual([items[0], items[2]]);
  });

  test('asks a pool only for many of many, calls key once for each item, in order, and reports the end', async () => {
    const items = Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 20_011);
    for (const [k, jobs] of [
      [10, 0],
      [15_000, 1],
    ]) {
      reset();
      const seen: number[] = [];
      const progress: number[][] = [];
      const key = (item: number): number => {
        seen.push(item);
        return item;
      };
      const top = await parallelTopK(items, k, { key, onProgress: (...all) => progress.push(all) });
      expect(top).toEqual(items.toSorted((a, b) => b - a).slice(0, k));
      expect(seen).toEqual(items);
      expect(progress.at(-1)).toEqual([20_000, 20_000]);
      expect(simulation.jobs).toBe(jobs);
    }
  });

  test('checks its arguments, and rejects with what key or ties threw', async () => {
    const items = Array.from({ length: 100 }, (_, i) => ({ name: 'x', i }));
    const wrong = (...all: unknown[]): Promise<unknown> =>
      (parallelTopK as (...all: unknown[]) => Promise<unknown>)(...all);
    const key = (item: { i: number }): number => item.i;
    await expect(wrong(items, 1)).rejects.toThrow(/array with options.key.*without.*give a key: parallelTopK/);
    await expect(wrong([3, 1, 2], 1, {})).rejects.toThrow(/it is \[3, 1, 2\] without. Make it one, sharedArray/);
    await expect(wrong(items, 1, key)).rejects.toThrow(/compare is for typed arrays, but xs is an array. Give a key/);
    await expect(wrong(items, 1, { key: 'i' })).rejects.toThrow(/options.key must be a function, but it is "i"/);
    await expect(wrong(items, -1, { key })).rejects.toThrow(RangeError);
    await expect(wrong(items, undefined, { key })).rejects.toThrow(/k must be a number/);
    await expect(wrong(items, 1, { key: () => null })).rejects.toThrow(/for items\[0\] it returned null/);
    await expect(wrong(items, 1, { key, smallest: true })).rejects.toThrow(
      /no option "smallest".*key, descending, ties/,
    );
    await expect(wrong(items, 1, { key, descending: [true, true] })).rejects.toThrow(/has 2 elements.*1 part\b/);
    await expect(wrong(Float64Array.of(1), 1, { key })).rejects.toThrow(/no option "key"/);
    const failing = (): never => {
      throw new RangeError('no key');
    };
    await expect(wrong(items, 1, { key: failing })).rejects.toThrow('no key');
    await expect(wrong(items, 1, { key: () => 1, ties: failing })).rejects.toThrow('no key');
    await expect(wrong(items, 1, undefined, { key })).resolves.toEqual([items[99]]);
    expect(await parallelTopK([], 3, { key: failing })).toEqual([]);
    expect(parallelTopKSync(items, 0, { key })).toEqual([]);
  });
});
