import '../../../helpers/in-simulated-core.js';
import { beforeEach, expect, test, vi } from 'vitest';
import { parallelHistogram, parallelHistogramSync } from '../../../../src/algorithms/group/histogram.js';
import { kernelsUsable } from '../../../../src/algorithms/kernels/wasm-kernels.js';
import { sharedArray } from '../../../../src/core/memory/shared-array.js';
import { difference, place } from '../../../helpers/array-values.js';
import { sequentialHistogram } from '../../../helpers/sequential.js';
import { reset, simulation } from '../../../helpers/simulated-core.js';

vi.mock('../../../../src/algorithms/tuning.js', async (original) => ({
  ...(await original<object>()),
  TABLES_SHARE: 0, // a table for each thread never pays
  CALLER_MOST_US: 1e9, // what is not to be cut is done by the caller
  HELP_US: 1e9,
  CALLER_LIMIT_US: 1e9,
}));

beforeEach(() => reset({ parallelism: 16, stealing: 1, requests: 1 }));

test.each([300, 301, 1000, 3001, 20_000])('%i elements are counted in a single table by one thread', async (length) => {
  const xs = sharedArray(Float64Array, length).fill(0.5);
  const bins = 200; // which are added up by one unit
  const counts = await parallelHistogram(xs, { bins, min: 0, max: 1, threshold: 1 });
  expect(counts[100]).toBe(length);
  expect(simulation.jobs).toBe(1);
  expect(simulation.steals).toBe(0);
});

test('a caller counts in the result, or in tables where that is faster', () => {
  expect(kernelsUsable()).toBe(true);
  const bins = 50;
  for (const n of [1, 10, bins, 4 * (bins + 2) - 1, 4 * (bins + 2), 1000]) {
    const values = Float64Array.from({ length: n }, (_, i) => (i * 7) % 101);
    for (const shared of [true, false]) {
      const counts = parallelHistogramSync(place(values, { shared, offset: 0 }), { bins, min: 0, max: 100 });
      expect(difference(counts, sequentialHistogram([...values], bins, 0, 100))).toBeUndefined();
    }
  }
  expect(simulation.jobs).toBe(0);
});
