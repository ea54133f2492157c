/**
 * The shipped source under the explorer: every scenario in every schedule, or in every one with few preemptions.
 * `npm run model -- --deep` goes further. How it works: docs/correctness.md.
 */
import { describe, expect, test } from 'vitest';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { Explorer } from './explorer/explorer.js';
import { loadSource } from './explorer/load-source.js';
import { SCENARIOS } from './scenarios/all.js';
import { JOIN_CASES } from './scenarios/joins.js';
import { POOL_CASES } from './scenarios/pool.js';
import { PRIORITY_CASES } from './scenarios/priorities.js';
import { RANGES_CASES } from './scenarios/ranges.js';
import { REPORT_CASES } from './scenarios/reports.js';
import { SPARE_CASES } from './scenarios/spares.js';
import { WAKING_CASES } from './scenarios/waking.js';

const isDeep = process.env['FURCATE_MODEL'] === 'deep';
/** One preemption at most: most bugs need no more. */
const isShort = process.env['FURCATE_MODEL'] === 'short';
/** One exploration: seconds here, hours in a deep run. */
const HANG_MS = isDeep ? 6 * 3600_000 : LONG_TEST_HANG_MS;

describe('the shipped source holds in every schedule', () => {
  test.each([...SCENARIOS])(
    '%s',
    async (name, { make, bound, deep, changes }) => {
      const most = isDeep ? deep : isShort ? Math.min(bound ?? 1, 1) : bound;
      const report = new Explorer(make(), await loadSource(changes), most).explore();
      const space =
        most === undefined
          ? `all ${report.schedules.toExponential(1)} schedules`
          : `all with at most ${most} preemptions`;
      console.log(`${name}: ${space}, ${report.runs} runs, ${report.states} states`);
      expect(report.runs).toBeGreaterThan(0);
    },
    HANG_MS,
  );
});

test('no case is left out', () => {
  const ranges = Object.keys(RANGES_CASES);
  const cases = {
    ranges,
    joins: JOIN_CASES,
    waking: WAKING_CASES,
    pool: POOL_CASES,
    priorities: PRIORITY_CASES,
    reports: REPORT_CASES,
    spares: SPARE_CASES,
  };
  const names = Object.entries(cases).flatMap(([prefix, all]) => all.map((name) => `${prefix}: ${name}`));
  expect(names.filter((name) => !SCENARIOS.has(name))).toEqual([]);
});
