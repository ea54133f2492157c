import '../../../helpers/in-simulated-core.js';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { parallelSort, parallelSortSync } from '../../../../src/algorithms/sort/sort.js';
import { CALLER_COMPARE_ELEMENTS, CALLER_SORT_ELEMENTS } from '../../../../src/algorithms/tuning.js';
import { heapStats } from '../../../../src/core/memory/heap.js';
import { sharedArray } from '../../../../src/core/memory/shared-array.js';
import { pool, reset, simulation } from '../../../helpers/simulated-core.js';

vi.mock('../../../../src/algorithms/tuning.js', async (original) =>
  (await import('../../../helpers/simulated-core.js')).shortSorts(original as never),
);

beforeEach(() => reset());

const random = (n: number): Float64Array => Float64Array.from({ length: n }, (_, i) => Math.sin(i * i));

describe('parallelSort', () => {
  test('takes a comparator, options, both or neither, and returns its array', async () => {
    const options = { pool } as { pool: never };
    const xs = Float64Array.of(3, 1, 2);
    expect(await parallelSort(xs)).toBe(xs);
    expect([...xs]).toEqual([1, 2, 3]);
    expect([...(await parallelSort(xs, (a, b) => b - a))]).toEqual([3, 2, 1]);
    expect([...(await parallelSort(xs, options))]).toEqual([1, 2, 3]);
    expect([...(await parallelSort(xs, (a, b) => b - a, options))]).toEqual([3, 2, 1]);
    expect([...(await parallelSort(xs, undefined, options))]).toEqual([1, 2, 3]);
    expect([...parallelSortSync(xs, (a, b, { sign }) => sign * (a - b), { context: { sign: -1 } })]).toEqual([3, 2, 1]);
  });

  test.each([20, 3000])('takes what a comparator returns as the language does, with %i elements', async (n) => {
    const input = random(n);
    const comparators: ((a: number, b: number) => unknown)[] = [
      () => Number.NaN,
      () => undefined,
      () => null,
      (a, b) => String(a - b),
      (a, b) => ({ valueOf: () => b - a }),
      (a, b) => a > b,
    ];
    for (const compare of comparators) {
      const expected = input.slice().sort(compare as (a: number, b: number) => number);
      const actual = await parallelSort(input.slice(), compare as (a: number, b: number) => number);
      expect([...actual]).toEqual([...expected]);
    }
    for (const wrong of [() => 1n, () => Symbol.iterator] as unknown as (() => number)[]) {
      expect(() => input.slice().sort(wrong)).toThrow(TypeError);
      await expect(parallelSort(input.slice(), wrong)).rejects.toThrow(TypeError);
    }
  });

  test.each([
    ['numbers', undefined, CALLER_SORT_ELEMENTS],
    ['by a comparator', (a: number, b: number) => Math.sign(a - b), CALLER_COMPARE_ELEMENTS],
  ])('sorts short arrays at once on the caller, and long ones in the pool: %s', async (_, compare, most) => {
    const short = random(most);
    void parallelSort(short, compare);
    expect([...short]).toEqual([...random(most).sort()]);
    expect(simulation.jobs).toBe(0);
    const long = sharedArray(Float64Array, random(most + 1));
    const pending = parallelSort(long, compare);
    expect([...long]).toEqual([...random(most + 1)]);
    await pending;
    expect([...long]).toEqual([...random(most + 1).sort()]);
    expect(simulation.jobs).toBe(1);
  });

  test('writes an array that is not shared back once, when all is done', async () => {
    const xs = random(20_000);
    const before = xs.slice();
    const sorting = parallelSort(xs);
    expect(xs).toEqual(before);
    xs.fill(7); // the snapshot is taken at the call
    await sorting;
    expect(xs).toEqual(before.sort());
  });

  test('says so when its array was transferred away meanwhile', async () => {
    const xs = random(20_000);
    const sorting = parallelSort(xs);
    structuredClone(xs, { transfer: [xs.buffer] });
    await expect(sorting).rejects.toThrow(/xs was transferred away/);
  });

  test('gives its memory back, also when it fails', async () => {
    const sortThrice = async (): Promise<void> => {
      await parallelSort(random(20_000));
      await parallelSort(random(5000), (a, b) => b - a);
      const failing = parallelSort(random(5000), () => {
        throw new RangeError('no');
      });
      await expect(failing).rejects.toThrow('no');
    };
    await sortThrice(); // sources of functions stay
    const before = heapStats();
    await sortThrice();
    expect(heapStats()).toEqual(before);
  });

  test('names a captured variable', async () => {
    const sign = -1;
    await expect(parallelSort(random(10), (a, b) => sign * (a - b))).rejects.toThrow(/captured variable `sign`/);
    await expect(parallelSort(random(5000), (a, b) => sign * (a - b))).rejects.toThrow(/captured variable `sign`/);
  });

  test('sorts a Buffer, a view of another class, in place', async () => {
    const bytes = Buffer.from('the quick brown fox');
    await parallelSort(bytes);
    expect(bytes.toString().trim()).toBe('bcefhiknooqrtuwx');
  });
});
