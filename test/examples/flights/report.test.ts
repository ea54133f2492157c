import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { delayHistogramChart, workerShareChart } from '../../../examples/flights/charts.js';
import { exitCodeOf } from '../../../examples/flights/job.js';
import { type Effort, MAX_RUNS, measure, median } from '../../../examples/flights/measure.js';
import { binStart } from '../../../examples/flights/questions/delay-histogram.js';
import type { Question } from '../../../examples/flights/questions/question.js';
import { describeFlights, plainPaint, questionBlock, summaryTable } from '../../../examples/flights/report.js';
import { svgOf } from '../../../examples/flights/svg.js';
import { workerShares } from '../../../examples/flights/worker-shares.js';
import { sampleFlights } from './sample.js';

/** A question whose parallel answers are given, and whose sequential answer is 1. */
function questionAnswered(parallelAnswers: number[], calls: string[] = []): Question<number> {
  return {
    title: 'What is one?',
    calls: 'nothing',
    criterion: 'bit for bit',
    note: 'One is one.',
    sequential: () => {
      calls.push('sequential');
      return 1;
    },
    parallel: async (onProgress) => {
      calls.push('parallel');
      onProgress?.(1, 2);
      return parallelAnswers.shift() ?? Number.NaN;
    },
    equal: (a, b) => Object.is(a, b),
    facts: (answer) => [{ label: 'one', value: `it is ${answer}` }],
  };
}

/** As many runs, however long they take. */
const runs = (runs: number): Effort => ({ runs, ms: 0 });

describe('measuring', () => {
  test('asks both ways in turn, and is content when every pair is equal', async () => {
    const calls: string[] = [];
    const shares: number[] = [];
    const measured = await measure(questionAnswered([1, 1], calls), runs(2), (share) => shares.push(share));
    expect(calls).toEqual(['sequential', 'parallel', 'sequential', 'parallel']);
    expect(measured).toMatchObject({
      equal: true,
      parallel: { runs: 2 },
      parallelFacts: [{ label: 'one', value: 'it is 1' }],
    });
    expect(shares).toEqual([0, 0.25, 0.375, 0.5, 0.75, 0.875]);
    expect(exitCodeOf([measured])).toBe(0);
  });

  test.each([
    [[2, 1, 1], 'it is 2'],
    [[1, 3, 1], 'it is 3'],
    [[1, 1, 4], 'it is 4'],
  ])('one wrong answer in %j is enough to fail, and is shown', async (answers, shown) => {
    const measured = await measure(questionAnswered(answers), runs(3));
    expect(measured).toMatchObject({ equal: false, parallelFacts: [{ value: shown }] });
    const right = await measure(questionAnswered([1]), runs(1));
    expect(exitCodeOf([right, measured])).toBe(1);
    const block = questionBlock(1, measured, plainPaint);
    expect(block).toContain('NOT EQUAL');
    expect(block).toContain(shown);
    expect(summaryTable([right, measured], plainPaint)).toMatch(/yes\n.* NO$/);
  });

  test('runs short questions more often, but not without end', async () => {
    const measured = await measure(questionAnswered(new Array(100).fill(1)), { runs: 2, ms: Number.POSITIVE_INFINITY });
    expect(measured).toMatchObject({ equal: true, sequential: { runs: MAX_RUNS }, parallel: { runs: MAX_RUNS } });
  });

  test('takes a median that half of the values do not exceed, and half are not below', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1 }), (values) => {
        const middle = median(values);
        expect(values.filter((value) => value <= middle).length * 2).toBeGreaterThanOrEqual(values.length);
        expect(values.filter((value) => value >= middle).length * 2).toBeGreaterThanOrEqual(values.length);
      }),
    );
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(() => median([])).toThrow(RangeError);
  });
});

describe('the report', () => {
  test('says what is missing in the data', async () => {
    const flights = await sampleFlights();
    expect(describeFlights(flights, 1234)).toContain(
      'Read 6 flights of US airlines (vega-datasets) in 1.2 s: no missing',
    );
    expect(describeFlights(flights, 1234)).toContain('8 airports, 1 of them without coordinates');
    const gaps = { ...flights, missing: { ...flights.missing, delay: 2, origin: 1 }, leftOut: 2 };
    expect(describeFlights(gaps, 0)).toContain(
      'Read 8 flights of US airlines (vega-datasets) in 0.0 s: missing values: 2 in delay, 1 in origin; ' +
        '2 rows without delay or distance left out.',
    );
  });

  test('shows both answers, the criterion and the note', async () => {
    const block = questionBlock(3, await measure(questionAnswered([1]), runs(1)), plainPaint);
    expect(block).toMatch(/^3\. What is one\?\n/);
    expect(block).toMatch(/one +it is 1 +it is 1\n/);
    expect(block).toMatch(/equal, speed-up [\d.,]+x, with nothing/);
    expect(block).toContain('Compared bit for bit. One is one.');
  });
});

describe('the pictures', () => {
  test('the histogram has a bar for each bin inside, titles, and says what it leaves out', async () => {
    const counts = Uint32Array.from({ length: 50 }, (_, bin) => 1000 + bin);
    const svg = await svgOf(delayHistogramChart({ counts }));
    expect(svg).toMatch(/^<svg [^>]*xmlns=/);
    const bars = [...svg.matchAll(/aria-roledescription="bar"/g)];
    expect(bars).toHaveLength(48);
    expect(svg).toContain('Arrival delay of 51,225 flights');
    expect(svg).toContain('Not drawn: 1,000 flights more than 60 minutes early,');
    expect(svg).toContain('and 1,049 (2.05 %) at least 180 minutes late.');
    expect(svg).toContain('arrival delay, minutes (negative: early)');
    expect(svg).toContain('>flights<');
    for (const tick of ['−60', '0', '180']) expect(svg).toContain(`>${tick}<`);
    for (const name of ['early', 'on time or late']) expect(svg).toContain(`>${name}<`);
  });

  test('a bin that grows makes its bar grow', async () => {
    const flat = new Uint32Array(50).fill(10);
    const peaked = flat.map((flights, bin) => (binStart(bin) === 0 ? 40 : flights));
    const [low, high] = await Promise.all(
      [flat, peaked].map(async (counts) => barHeights(await svgOf(delayHistogramChart({ counts })))),
    );
    expect(new Set(low).size).toBe(1);
    expect(Math.max(...high) / Math.min(...high)).toBeCloseTo(4, 1);
    expect(high.indexOf(Math.max(...high))).toBe(12); // the first bin drawn starts at -60
  });

  test('the shares have a row for each worker, in order, with its part of all, and its steals', async () => {
    const shares = Array.from({ length: 12 }, (_, i) => ({ worker: `#${i}`, elements: 1000 * (i + 1), stolen: i }));
    const svg = await svgOf(workerShareChart(shares));
    expect(svg).toContain('What each worker did');
    expect(svg).toContain('78,000 elements processed in all questions and runs,');
    expect(svg).toContain('66 tasks stolen by workers that had run out of their own.');
    expect([...svg.matchAll(/aria-roledescription="bar"/g)]).toHaveLength(24);
    for (const text of ['worker', 'elements processed', 'tasks stolen from others']) expect(svg).toContain(`>${text}<`);
    for (const share of ['1.28 %', '15.38 %']) expect(svg).toContain(`>${share}<`);
    const places = shares.map(({ worker }) => svg.indexOf(`>${worker}</text>`));
    expect(places.every((place, i) => place > (places[i - 1] ?? 0))).toBe(true);
  });
});

describe('the shares of the workers', () => {
  const stats = (caller: { elements: number; stolen: number }) => ({
    workers: [
      { ...idle, worker: 0, ...caller },
      { ...idle, worker: 1, elements: 70, stolen: 3 },
      { ...idle, worker: 2, elements: 30, stolen: 5 },
    ],
  });
  const idle = {
    roots: 0,
    published: 0,
    reclaimed: 0,
    failedSteals: 0,
    emptySteals: 0,
    sleeps: 0,
    busyMs: 0,
    idleMs: 0,
  };
  const workers = [
    { worker: '1', elements: 70, stolen: 3 },
    { worker: '2', elements: 30, stolen: 5 },
  ];

  test('leave out a caller that did nothing', () => {
    expect(workerShares(stats({ elements: 0, stolen: 0 }))).toEqual(workers);
  });

  test('name a caller that took part', () => {
    const caller = { worker: 'caller', elements: 1, stolen: 0 };
    expect(workerShares(stats({ elements: 1, stolen: 0 }))).toEqual([caller, ...workers]);
  });
});

/** The heights of the bars, in the order of the bins. */
function barHeights(svg: string): number[] {
  return [...svg.matchAll(/aria-roledescription="bar" d="M[\d.]+,[\d.]+h[\d.]+v([\d.]+)/g)].map((match) =>
    Number(match[1]),
  );
}
