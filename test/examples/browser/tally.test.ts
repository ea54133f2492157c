/** The loop that counts the flights, against a plain one with comparisons, and its parts against the whole. */
import fc from 'fast-check';
import { ForkJoinPool } from 'furcate';
import { afterAll, describe, expect, test } from 'vitest';
import { MISSING, setRange } from '../../../examples/browser/page/crossfilter/bounds.js';
import { binOf, binsOf, DIMENSIONS, type Range } from '../../../examples/browser/page/crossfilter/dimensions.js';
import { Crossfilter } from '../../../examples/browser/page/crossfilter/tally.js';
import { type Flights, newColumns } from '../../../examples/browser/page/data/flights.js';

const AIRPORTS = 3;

interface Row {
  readonly values: readonly [distance: number, minute: number, delay: number];
  readonly origin: number;
}

/** Few values, so that many lie on a bound. */
const value = (d: number): fc.Arbitrary<number> => {
  const { low, high } = DIMENSIONS[d];
  const step = (high - low) / 4;
  return fc
    .tuple(fc.integer({ min: -1, max: 5 }), fc.integer({ min: -1, max: 1 }))
    .map(([steps, besides]) => low + steps * step + besides);
};
const missing: readonly [number, number, number] = [MISSING, MISSING, MISSING];
const values = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(value(0), value(1), value(2)) },
  { weight: 1, arbitrary: fc.constant(missing) },
);
const rows = fc.array(fc.record({ values, origin: fc.nat({ max: AIRPORTS - 1 }) }), { maxLength: 60 });
const range = (d: number): fc.Arbitrary<Range | undefined> =>
  fc.option(
    fc.tuple(value(d), value(d)).map(([a, b]) => ({ low: Math.min(a, b), high: Math.max(a, b) })),
    { nil: undefined },
  );
const ranges = fc.tuple(range(0), range(1), range(2));

function flightsOf(list: readonly Row[]): Flights {
  const columns = newColumns(list.length);
  list.forEach(({ values, origin }, row) => {
    [columns.distance[row], columns.minute[row], columns.delay[row]] = values;
    const bins = values.map((value, d) => binOf(DIMENSIONS[d], value));
    [columns.distanceBin[row], columns.minuteBin[row], columns.delayBin[row]] = bins as [number, number, number];
    columns.origin[row] = origin;
  });
  const airport = { code: '', name: '', latitude: 0, longitude: 0 };
  return { ...columns, count: list.length, airports: new Array(AIRPORTS).fill(airport) };
}

const isWithin = (value: number, d: number, range: Range | undefined): boolean =>
  value !== MISSING &&
  (range === undefined ||
    ((value >= range.low || range.low <= DIMENSIONS[d].low) &&
      (value < range.high || range.high >= DIMENSIONS[d].high)));

/** The histograms, flights and delays by definition. */
function expected(list: readonly Row[], ranges: readonly (Range | undefined)[]) {
  const histograms = DIMENSIONS.map((dimension) => new Array<number>(binsOf(dimension)).fill(0));
  const flights = new Array<number>(AIRPORTS).fill(0);
  const late = new Array<number>(AIRPORTS).fill(0);
  for (const { values, origin } of list) {
    const passes = values.map((value, d) => isWithin(value, d, ranges[d]));
    DIMENSIONS.forEach((dimension, d) => {
      if (passes.every((pass, other) => pass || other === d) && values[d] !== MISSING)
        histograms[d][binOf(dimension, values[d])]++;
    });
    if (!passes.every(Boolean)) continue;
    flights[origin]++;
    late[origin] += values[2];
  }
  return { histograms, flights, late };
}

const pool = new ForkJoinPool({ parallelism: 2 });
afterAll(() => pool.close());

describe('the tally', () => {
  test('counts what the filters select, and each histogram what the other filters select', () => {
    fc.assert(
      fc.property(rows, ranges, (list, ranges) => {
        const crossfilter = new Crossfilter(flightsOf(list), pool);
        ranges.forEach((range, d) => {
          setRange(crossfilter.bounds, d, range);
        });
        const { histograms, flights, late } = crossfilter.plain();
        const selected = list.filter((_, row) => crossfilter.selects(row)).length;
        crossfilter.close();
        const right = expected(list, ranges);
        expect(histograms.map((counts) => [...counts])).toEqual(right.histograms);
        expect([...flights]).toEqual(right.flights);
        expect([...late]).toEqual(right.late);
        expect(selected).toBe(right.flights.reduce((a, b) => a + b, 0));
      }),
    );
  });

  test('is the same from the workers', async () => {
    const list = fc
      .sample(
        rows.filter(({ length }) => length > 0),
        { numRuns: 40, seed: 36 },
      )
      .flat();
    const many = Array.from({ length: 200_000 }, (_, i) => list[(i * 7919) % list.length]);
    const crossfilter = new Crossfilter(flightsOf(many), pool);
    for (const range of [undefined, { low: 400, high: 900 }, { low: 900, high: 901 }]) {
      setRange(crossfilter.bounds, 1, range);
      const plain = [...crossfilter.plain().all];
      expect([...(await crossfilter.furcate()).all]).toEqual(plain);
      expect(plain.some((count) => count > 0)).toBe(true);
    }
    crossfilter.close();
  });
});
