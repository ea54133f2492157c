import { ForkJoinPool } from 'furcate';
import { beforeAll, describe, expect, test } from 'vitest';
import { co2OfFlight } from '../../../examples/flights/emission-model.js';
import { loadFlights } from '../../../examples/flights/load.js';
import { allQuestions } from '../../../examples/flights/questions/index.js';
import { type Question, sameNumbers } from '../../../examples/flights/questions/question.js';
import { DELAYS, MILES, sampleFlights } from './sample.js';

const ROWS = 40_000;

type Questions = ReturnType<typeof allQuestions>;
type Name = keyof Questions;
type Answer<N extends Name> = Questions[N] extends Question<infer A> ? A : never;

/** Wrong answers, each a small step from the right one. */
const WRONG: { [N in Name]: Record<string, (right: Answer<N>) => Answer<N>> } = {
  summary: {
    'a total off by one': (right) => ({ ...right, totalDelayMinutes: right.totalDelayMinutes + 1 }),
    'a mean off by one bit': (right) => ({ ...right, meanDelayMinutes: right.meanDelayMinutes * (1 + 2 ** -52) }),
    'another minimum': (right) => ({ ...right, minDelayMinutes: right.minDelayMinutes + 1 }),
    'another maximum': (right) => ({ ...right, maxDelayMinutes: right.maxDelayMinutes - 1 }),
    'a distance wrapped to 32 bits': (right) => ({ ...right, totalMiles: right.totalMiles - 2 ** 32 }),
  },
  delayHistogram: {
    'a flight in the next bin': ({ counts }) => ({ counts: changed(changed(counts, 12, -1), 13, 1) }),
    'a bin too few': ({ counts }) => ({ counts: counts.slice(1) }),
  },
  latestAndEarliest: {
    'two neighbours swapped': ({ keys }) => ({ keys: swapped(keys, 20, 21) }),
    'a key lost and another twice': ({ keys }) => ({ keys: keys.map((key, i) => (i === 7 ? keys[8] : key)) }),
  },
  byDistance: {
    'two neighbours swapped': ({ rows }) => ({ rows: swapped(rows, 20, 21) }),
    'the last row missing': ({ rows }) => ({ rows: rows.slice(0, -1) }),
  },
  distanceBands: {
    'a flight in the next band': (right) => ({
      ...right,
      flights: changed(changed(Float64Array.from(right.flights), 0, -1), 1, 1),
    }),
    'a minute too many': (right) => ({
      ...right,
      totalDelayMinutes: changed(Float64Array.from(right.totalDelayMinutes), 2, 1),
    }),
  },
  emissions: {
    'a flight off by one bit': (right) => ({
      ...right,
      kilograms: changed(right.kilograms, 5, right.kilograms[5] * 2 ** -52),
    }),
    'a total beyond the rounding': (right) => ({ ...right, totalKilograms: right.totalKilograms * (1 + 1e-9) }),
    'a total that is not a number': (right) => ({ ...right, totalKilograms: Number.NaN }),
  },
};

describe('every question', () => {
  let questions: Questions;
  beforeAll(async () => {
    questions = allQuestions({ flights: await loadFlights({ rows: ROWS }), pool: ForkJoinPool.commonPool() });
  });

  describe.each(Object.keys(WRONG) as Name[])('%s', (name) => {
    test('gets the same answer from the library as from a plain loop, in numbers and in words', async () => {
      const question: Question<unknown> = questions[name];
      const sequential = question.sequential();
      const parallel = await question.parallel();
      expect(question.equal(sequential, parallel)).toBe(true);
      expect(question.facts(parallel)).toEqual(question.facts(sequential));
    });

    test('gets it again when asked again', async () => {
      const question: Question<unknown> = questions[name];
      await question.parallel();
      expect(question.equal(question.sequential(), await question.parallel())).toBe(true);
    });

    test.each(Object.keys(WRONG[name]))('notices %s', (what) => {
      const question: Question<unknown> = questions[name];
      const right = question.sequential();
      const breakIt = WRONG[name][what as never] as (right: unknown) => unknown;
      expect(question.equal(right, breakIt(right))).toBe(false);
    });
  });
});

describe('six flights made by hand', () => {
  let questions: Questions;
  beforeAll(async () => {
    questions = allQuestions({ flights: await sampleFlights(), pool: ForkJoinPool.commonPool() });
  });

  test('have the known sums and extremes', async () => {
    const known = { totalDelayMinutes: 220, meanDelayMinutes: 220 / 6, minDelayMinutes: -70, maxDelayMinutes: 200 };
    expect(await questions.summary.parallel()).toEqual({ ...known, totalMiles: 9250 });
  });

  test('fall into the known bins, the outermost ones included', async () => {
    const { counts } = await questions.delayHistogram.parallel();
    const filled = [...counts.entries()].filter(([, flights]) => flights > 0);
    expect(filled).toEqual([
      [0, 1], // below -60
      [11, 1], // -10 to -6
      [14, 2], // 5 to 9
      [31, 1], // 90 to 94
      [49, 1], // 180 and more
    ]);
  });

  test('are sorted by delay with ties in the order of the file', async () => {
    const { keys } = await questions.latestAndEarliest.parallel();
    const rows = [...keys].map((key) => key - Math.floor(key / 2 ** 32) * 2 ** 32);
    expect(rows).toEqual([4, 1, 0, 3, 5, 2]);
    expect(questions.latestAndEarliest.facts({ keys })[0]).toEqual({
      label: 'latest 1',
      value: '2001-01-01 02:00 LAX-SEA 200 min',
    });
  });

  test('are sorted by distance, then by delay', async () => {
    const { rows } = await questions.byDistance.parallel();
    expect([...rows].map((row) => [MILES[row], DELAYS[row]])).toEqual([
      [250, 5],
      [500, 5],
      [500, 200],
      [2000, -70],
      [2000, -10],
      [4000, 90],
    ]);
  });

  test('have the known means by band, negative sums included', async () => {
    const answer = await questions.distanceBands.parallel();
    expect([...Array.from(answer.flights)]).toEqual([1, 2, 0, 0, 2, 0, 0, 1]);
    expect([...Array.from(answer.totalDelayMinutes)]).toEqual([5, 205, 0, 0, -80, 0, 0, 90]);
    expect(questions.distanceBands.facts(answer)[2]).toEqual({ label: '1,000 to 1,499 miles', value: 'no flights' });
  });

  test('have emissions even where the airport is not known', async () => {
    const { kilograms } = await questions.emissions.parallel();
    expect([...kilograms].every(Number.isFinite)).toBe(true);
    expect(kilograms[4]).toBe(co2OfFlight(Number.NaN, Number.NaN, Number.NaN, Number.NaN, 2000));
  });
});

describe('the emission model', () => {
  const [NEW_YORK, LOS_ANGELES] = [
    [0.7094, -1.2877],
    [0.5924, -2.0664],
  ] as const;

  test('asks more of a flight against the jet stream than of one with it', () => {
    const west = co2OfFlight(...NEW_YORK, ...LOS_ANGELES, 2475);
    const east = co2OfFlight(...LOS_ANGELES, ...NEW_YORK, 2475);
    const still = co2OfFlight(Number.NaN, 0, 0, 0, 2475);
    expect(west).toBeGreaterThan(still);
    expect(still).toBeGreaterThan(east);
  });

  test('gives a flight of 1,000 miles some 10 to 25 tons', () => {
    const tons = co2OfFlight(Number.NaN, 0, 0, 0, 1000) / 1000;
    expect(tons).toBeGreaterThan(10);
    expect(tons).toBeLessThan(25);
  });
});

describe('comparing columns', () => {
  test('tells -0 from 0 and lengths apart, and takes NaN for NaN', () => {
    expect(sameNumbers([0], [-0])).toBe(false);
    expect(sameNumbers([1], [1, 2])).toBe(false);
    expect(sameNumbers([Number.NaN, 1], [Number.NaN, 1])).toBe(true);
  });
});

/** A copy with `by` added in one place; `slice` also takes it off the shared memory. */
function changed<Column extends Uint32Array | Float64Array>(column: Column, position: number, by: number): Column {
  const copy = column.slice() as Column;
  copy[position] += by;
  return copy;
}

function swapped<Column extends Uint32Array | Float64Array>(column: Column, i: number, j: number): Column {
  const copy = column.slice() as Column;
  [copy[i], copy[j]] = [copy[j], copy[i]];
  return copy;
}
