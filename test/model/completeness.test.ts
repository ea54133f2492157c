/** Every scenario is explored by one test file, and every case of a family is a scenario. */
import { expect, test } from 'vitest';
import { FAMILIES, familyOf } from './exploration.js';
import { SCENARIOS } from './scenarios/all.js';
import { ENDING_CASES } from './scenarios/endings.js';
import { JOIN_CASES } from './scenarios/joins.js';
import { POOL_CASES } from './scenarios/pool.js';
import { PRIORITY_CASES } from './scenarios/priorities.js';
import { RANGES_CASES } from './scenarios/ranges.js';
import { REPORT_CASES } from './scenarios/reports.js';
import { SPARE_CASES } from './scenarios/spares.js';
import { WAKING_CASES } from './scenarios/waking.js';

test('no family is left out', () => {
  expect(Object.values(FAMILIES).flat().sort()).toEqual([...new Set([...SCENARIOS.keys()].map(familyOf))].sort());
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
    endings: ENDING_CASES,
  };
  const names = Object.entries(cases).flatMap(([prefix, all]) => all.map((name) => `${prefix}: ${name}`));
  expect(names.filter((name) => !SCENARIOS.has(name))).toEqual([]);
});
