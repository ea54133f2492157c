/** A few faults of each run of tests; `npm run stress:cluster` has more. */
import { expect, test } from 'vitest';
import { seedOfRun } from '../helpers/seed.js';
import { chaos } from './chaos.js';

const FAULTS = 6;

test('no fault of hosts or servers changes a result or fails a call', async () => {
  const report = await chaos({ seed: seedOfRun('chaos of a cluster'), faults: FAULTS });
  expect(report.calls).toBeGreaterThan(0);
  expect(report.leftMessages).toEqual([]);
});
