/** Predicates over typed arrays may answer anything, as those of `Array.prototype.filter` may: what is truthy matches. */
import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { parallelFilter, parallelPartition } from '../../../src/algorithms/filter/filter.js';
import {
  parallelCount,
  parallelEvery,
  parallelFind,
  parallelFindIndex,
  parallelSome,
} from '../../../src/algorithms/search/index.js';
import { sharedArray } from '../../../src/core/memory/shared-array.js';
import { anySchedule as schedule } from '../../helpers/schedules.js';
import { reset } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

const ANSWERS: readonly unknown[] = [false, true, 0, 1, -0, Number.NaN, '', 'no', null, undefined, 0n, 1n, {}, [], -1];

test('whatever a predicate answers, every algorithm takes it as the methods of arrays do', async () => {
  const element = fc.nat(ANSWERS.length - 1);
  await fc.assert(
    fc.asyncProperty(
      fc.array(element, { maxLength: 300, size: 'max' }),
      fc.boolean(),
      schedule,
      async (list, isShared, { threshold, ...changes }) => {
        reset({ ...changes, stopsEarly: true });
        const xs = isShared ? sharedArray(Uint8Array, list) : new Uint8Array(list);
        const options = { context: { answers: ANSWERS as readonly object[] }, threshold };
        const pred = (x: number, _i: number, { answers }: { answers: readonly object[] }): object | undefined =>
          answers[x];
        const matches = (x: number): boolean => Boolean(ANSWERS[x]);
        expect([...(await parallelFilter(xs, pred, options))]).toEqual(list.filter(matches));
        expect((await parallelPartition(xs, pred, options)).map((part) => [...part])).toEqual([
          list.filter(matches),
          list.filter((x) => !matches(x)),
        ]);
        expect(await parallelCount(xs, pred, options)).toBe(list.filter(matches).length);
        expect(await parallelSome(xs, pred, options)).toBe(list.some(matches));
        expect(await parallelEvery(xs, pred, options)).toBe(list.every(matches));
        expect(await parallelFind(xs, pred, options)).toBe(list.find(matches));
        expect(await parallelFindIndex(xs, pred, options)).toBe(list.findIndex(matches));
      },
    ),
    { numRuns: 200 },
  );
});

test('a promise always matches, so every one is refused, however late it comes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(5000), fc.boolean(), async (at, isShared) => {
      const xs = isShared ? sharedArray(Uint8Array, 5001) : new Uint8Array(5001);
      const context = { at };
      const pred = ((_x: number, i: number, { at }: { at: number }) =>
        i === at ? Promise.reject(new Error('unheard')) : i % 2) as unknown as () => boolean;
      type Call = (xs: Uint8Array, pred: unknown, options: object) => Promise<unknown>;
      for (const call of [parallelFilter, parallelPartition, parallelCount] as Call[])
        await expect(call(xs, pred, { context })).rejects.toThrow(/pred of parallel\w+ returned a promise/);
    }),
    { numRuns: 20 },
  );
});
