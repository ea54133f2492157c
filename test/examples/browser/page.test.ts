/** The page in browsers: its answers are those of plain loops in Node, with isolation and without. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPage } from '../../../examples/browser/build.js';
import { binOf, binsOf, DIMENSIONS } from '../../../examples/browser/page/crossfilter/dimensions.js';
import type { Report } from '../../../examples/browser/page/report.js';
import { PageServer } from '../../../examples/browser/server.js';
import { type Flights, loadFlights } from '../../../examples/flights/load.js';
import { LONG_TEST_HANG_MS } from '../../helpers/limits.js';
import { type Browser, open, testedBrowsers } from '../../runtimes/browsers.js';
import { ReportServer } from './report-server.js';

const ROWS = 120_000;
/** Flights from six to twelve. */
const [FROM, TO] = [360, 720];
const SHOWN_LATEST = 8;
const MS_PER_MINUTE = 60_000;
const MINUTES_PER_DAY = 1440;

type Posted = Report & { readonly notice: string; readonly error?: string };

const folder = mkdtempSync(join(tmpdir(), 'flights-page-'));
const reports = new ReportServer<Posted>();
let flights: Flights;

beforeAll(async () => {
  [flights] = await Promise.all([loadFlights({ rows: ROWS }), buildPage(join(folder, 'page'))]);
});
afterAll(() => {
  reports.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What the page posts, in a browser of its own. */
async function visit(browser: Browser, isIsolated: boolean): Promise<Posted> {
  const server = new PageServer({ folder: join(folder, 'page'), isIsolated });
  const query = new URLSearchParams({
    rows: String(ROWS),
    workers: '2',
    minute: `${FROM}..${TO}`,
    report: await reports.address,
  });
  const opened = open(browser, `${await server.listen(0)}?${query}`, folder);
  try {
    const ended = opened.ended.then((how) => Promise.reject(new Error(how)));
    return await Promise.race([reports.next(), ended]);
  } finally {
    await opened.close();
    server.close();
  }
}

/** The same answers, in plain loops over the columns of the other flights example. */
function plainAnswers() {
  const { count, departure, delay, distance, origin, airportCodes } = flights;
  const minuteOf = (row: number): number => Math.floor(departure[row] / MS_PER_MINUTE) % MINUTES_PER_DAY;
  const rows = Array.from({ length: count }, (_, row) => row);
  const isSelected = (row: number): boolean => minuteOf(row) >= FROM && minuteOf(row) < TO;
  const selected = rows.filter(isSelected);
  const histograms = DIMENSIONS.map((dimension) => {
    const value = { distance: (row: number) => distance[row], minute: minuteOf, delay: (row: number) => delay[row] };
    const counts = new Array<number>(binsOf(dimension)).fill(0);
    // The histogram of departures does not heed its own filter.
    for (const row of dimension.id === 'minute' ? rows : selected) counts[binOf(dimension, value[dimension.id](row))]++;
    return counts;
  });
  const airports = new Map<string, { flights: number; late: number }>();
  for (const row of selected) {
    const code = airportCodes[origin[row]];
    const { flights, late } = airports.get(code) ?? { flights: 0, late: 0 };
    airports.set(code, { flights: flights + 1, late: late + delay[row] });
  }
  const latest = selected.map((row) => delay[row]).sort((a, b) => b - a);
  return { selected: selected.length, histograms, airports, latest: latest.slice(0, SHOWN_LATEST) };
}

function expectRightAnswers(posted: Posted): void {
  expect(posted.error).toBeUndefined();
  const plain = plainAnswers();
  expect(posted).toMatchObject({ count: ROWS, areEqual: true, selected: plain.selected, histograms: plain.histograms });
  expect(posted.sorts.areEqual).toBe(true);
  expect(posted.latest.map(({ minutes }) => minutes)).toEqual(plain.latest);
  expect(posted.airports).toHaveLength(5);
  for (const { code, ...counts } of posted.airports) expect(counts).toEqual(plain.airports.get(code));
}

describe.each(testedBrowsers())('the page in %s', (browser) => {
  test('gives the answers of plain loops, from its workers', { timeout: LONG_TEST_HANG_MS }, async () => {
    const posted = await visit(browser, true);
    expectRightAnswers(posted);
    expect(posted).toMatchObject({ isIsolated: true, notice: '' });
    expect(Object.keys(posted.shares)).toEqual(expect.arrayContaining(['1', '2']));
    expect(Object.values(posted.shares).reduce((sum, rows) => sum + rows, 0)).toBeGreaterThan(0);
  });
});

test('without isolation the page gives the same answers, and says what it lacks', {
  timeout: LONG_TEST_HANG_MS,
}, async () => {
  const posted = await visit('chromium', false);
  expectRightAnswers(posted);
  expect(posted.isIsolated).toBe(false);
  expect(posted.notice).toContain('Cross-Origin-Opener-Policy: same-origin');
  expect(posted.notice).toContain('Cross-Origin-Embedder-Policy: require-corp');
});
