import '../../../helpers/in-simulated-core.js';
import { beforeEach, expect, test } from 'vitest';
import { costOf } from '../../../../src/algorithms/schedule/cost.js';
import { parallelArgsort, parallelSort } from '../../../../src/algorithms/sort/sort.js';
import { CALLER_SAMPLED_ELEMENTS, CALLER_SORT_ELEMENTS, SAMPLE_ELEMENTS } from '../../../../src/algorithms/tuning.js';
import { shipFunction } from '../../../../src/core/code/shipped-function.js';
import { compiled } from '../../../../src/core/engine.js';
import { sharedArray } from '../../../../src/core/memory/shared-array.js';
import { reset, simulation } from '../../../helpers/simulated-core.js';

beforeEach(() => reset());

const random = (n: number): Float64Array => Float64Array.from({ length: n }, (_, i) => Math.sin(i * i));

/** The figure of a comparator, which belongs to its text. */
const costOfComparator = (compare: (a: number, b: number) => number) =>
  costOf(compiled(shipFunction(compare, 'compare')));

test.each([
  ['sort', (xs: Float64Array): Promise<unknown> => parallelSort(xs)],
  ['argsort', (xs: Float64Array): Promise<unknown> => parallelArgsort(xs)],
])('the caller does a %s without a comparator up to a length, and the pool a longer one', async (_, sort) => {
  await sort(random(CALLER_SORT_ELEMENTS));
  expect(simulation.jobs).toBe(0);
  await sort(random(CALLER_SORT_ELEMENTS + 1));
  expect(simulation.jobs).toBe(1);
});

test('with a comparator that is known to be cheap the caller sorts, with one that a sample shows to be slow the pool', async () => {
  const cheap = (a: number, b: number): number => a - b + 0;
  costOfComparator(cheap).note(1e9, 1e-3);
  const xs = random(CALLER_SAMPLED_ELEMENTS);
  expect(await parallelSort(xs, cheap)).toEqual(random(CALLER_SAMPLED_ELEMENTS).sort());
  expect(simulation.jobs).toBe(0);
  await parallelSort(random(CALLER_SAMPLED_ELEMENTS + 1), cheap);
  expect(simulation.jobs).toBe(1); // too long for the caller, however cheap

  const slow = (a: number, b: number, { calls }: { calls: Int32Array }): number => {
    calls[0]++;
    let sum = 0;
    for (let i = 0; i < 500; i++) sum += Math.sin(a + i);
    return sum === 0 ? 0 : a - b;
  };
  const calls = sharedArray(Int32Array, 1);
  const sorting = parallelSort(random(2000), slow, { context: { calls } });
  expect(calls[0]).toBeGreaterThan(0);
  expect(calls[0]).toBeLessThan(SAMPLE_ELEMENTS * Math.log2(SAMPLE_ELEMENTS));
  await sorting;
  expect(simulation.jobs).toBe(2);
});

test('a sample leaves the array alone, and tells what the comparator throws', async () => {
  const xs = random(3000);
  const refuse = (): number => {
    throw new RangeError('not these');
  };
  await expect(parallelSort(xs, refuse)).rejects.toThrow('not these');
  expect(xs).toEqual(random(3000));
  expect(simulation.jobs).toBe(0);
});
