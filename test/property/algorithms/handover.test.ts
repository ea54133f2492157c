/**
 * A caller that has begun a call, and hands what is left over to a pool: with a limit so low that it does so after its first
 * piece of work. What it has done must count, and only once.
 */
import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';
import { parallelFilterSync, parallelPartitionSync } from '../../../src/algorithms/filter/filter.js';
import { parallelHistogramSync } from '../../../src/algorithms/group/histogram.js';
import { parallelMapSync } from '../../../src/algorithms/loops/elements.js';
import { parallelMinMaxSync } from '../../../src/algorithms/reduce/min-max.js';
import { parallelReduceSync } from '../../../src/algorithms/reduce/reduce.js';
import { parallelScanSync } from '../../../src/algorithms/scan/scan.js';
import { parallelCountSync, parallelFindIndexSync } from '../../../src/algorithms/search/index.js';
import { place } from '../../helpers/array-values.js';
import { anySchedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

vi.mock('../../../src/algorithms/tuning.js', async (original) => ({
  ...(await original<object>()),
  CALLER_MOST_US: 1e9, // every known cost is short
  HELP_US: 1e9,
  CALLER_LIMIT_US: 1e-9,
  CALLER_BLOCK_US: 1e-9, // a unit a piece, however fast the machine is
  CALLER_PIECE_US: 0,
}));

beforeEach(() => reset());

const running = (xs: Int32Array, exclusive = false): number[] => {
  let sum = 0;
  return Array.from(xs, (x) => {
    const before = sum;
    sum = (sum + x) | 0;
    return exclusive ? before : sum;
  });
};

const counted = (xs: Int32Array): number[] => {
  const counts = new Array<number>(16).fill(0);
  for (const x of xs) counts[x & 15] = (counts[x & 15] as number) + 1;
  return counts;
};

type Case = readonly [run: (xs: Int32Array) => unknown, expected: (xs: Int32Array) => unknown];

const CASES: Readonly<Record<string, Case>> = {
  'parallelFilter by a function': [
    (xs) => Array.from(parallelFilterSync(xs, (x) => x * 2 < 10)),
    (xs) => Array.from(xs).filter((x) => x < 5),
  ],
  'parallelFilter by a comparison': [
    (xs) => Array.from(parallelFilterSync(xs, (x) => x < 5)),
    (xs) => Array.from(xs).filter((x) => x < 5),
  ],
  'parallelPartition by a function': [
    (xs) => parallelPartitionSync(xs, (x) => x % 2 === 0).map((part) => Array.from(part)),
    (xs) => [Array.from(xs).filter((x) => x % 2 === 0), Array.from(xs).filter((x) => x % 2 !== 0)],
  ],
  'parallelPartition by a comparison': [
    (xs) => parallelPartitionSync(xs, (x) => x >= 3).map((part) => Array.from(part)),
    (xs) => [Array.from(xs).filter((x) => x >= 3), Array.from(xs).filter((x) => x < 3)],
  ],
  'parallelScan by a function': [
    (xs) => Array.from(parallelScanSync(xs, (a, b) => (a + b) | 0, 0)),
    (xs) => running(xs),
  ],
  'parallelScan by name, exclusive': [
    (xs) => Array.from(parallelScanSync(xs, 'sum', { exclusive: true })),
    (xs) => running(xs, true),
  ],
  'parallelHistogram by a function': [
    (xs) => Array.from(parallelHistogramSync(xs, (x) => x & 15, { bins: 16 })),
    (xs) => counted(xs),
  ],
  'parallelHistogram of equal bins': [
    (xs) => Array.from(parallelHistogramSync(xs, { bins: 16, min: 0, max: 16 })),
    (xs) => counted(xs),
  ],
  parallelCount: [(xs) => parallelCountSync(xs, (x) => x % 3 === 0), (xs) => xs.filter((x) => x % 3 === 0).length],
  parallelFindIndex: [
    (xs) => parallelFindIndexSync(xs, (x, i) => i % 1000 === 99 && x < 3),
    (xs) => xs.findIndex((x, i) => i % 1000 === 99 && x < 3),
  ],
  parallelMap: [
    (xs) => Array.from(parallelMapSync(xs, (x, i) => x * 3 + i)),
    (xs) => Array.from(xs, (x, i) => x * 3 + i),
  ],
  parallelMinMax: [(xs) => parallelMinMaxSync(xs), (xs) => ({ min: Math.min(...xs), max: Math.max(...xs) })],
  'parallelReduce by a function': [
    (xs) => parallelReduceSync(xs, (a, b) => a + b, 0),
    (xs) => xs.reduce((a, b) => a + b, 0),
  ],
  'parallelReduce by name': [(xs) => parallelReduceSync(xs, 'sum'), (xs) => xs.reduce((a, b) => a + b, 0)],
};

const someElements = (minLength: number): fc.Arbitrary<number[]> =>
  fc.array(fc.integer({ min: 0, max: 15 }), { minLength, maxLength: 20_000, size: 'max' });

/** Most have several units of whatever algorithm. */
const elements = fc.oneof({ arbitrary: someElements(1), weight: 1 }, { arbitrary: someElements(9000), weight: 3 });

test.each(Object.entries(CASES))(
  '%s: work that the caller has done is kept, and not done again',
  (name, [run, expected]) => {
    let handedOver = 0;
    fc.assert(
      fc.property(elements, fc.boolean(), anySchedule, (values, shared, { threshold: _threshold, ...changes }) => {
        const xs = place(Int32Array.from(values), { shared, offset: 0 });
        const given = { ...changes, stopsEarly: name === 'parallelFindIndex' };
        reset(given);
        run(xs); // its cost is known from now on
        reset(given);
        expect(run(xs)).toEqual(expected(xs));
        if (simulation.jobs > 0) handedOver++;
      }),
      { numRuns: 60 },
    );
    expect(handedOver).toBeGreaterThan(10);
  },
);
