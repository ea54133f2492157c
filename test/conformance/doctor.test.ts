/** The doctor on the runtime that these tests run on. */
import { doctor, screenOf } from 'furcate/doctor';
import { expect, test } from 'vitest';

test('the doctor finds that tasks run on threads here, and how fast', async () => {
  const report = await doctor();
  expect(report.checks.filter(({ isNeeded, verdict }) => isNeeded && verdict === 'no')).toEqual([]);
  expect(report.ok).toBe(true);
  expect(report.cores).toBeGreaterThan(0);
  expect(report.parallelism).toBeGreaterThan(0);
  expect(report.firstResultMs).toBeGreaterThan(0);
  expect(report.roundTripUs).toBeGreaterThan(0);
  expect(report.sharedMemoryBytes).toBeGreaterThan(2 ** 24);
  expect(screenOf(report).split('\n').length).toBeGreaterThan(15);
});

test('two examinations at the same time disturb neither', async () => {
  const reports = await Promise.all([doctor(), doctor({ pool: { parallelism: 1 } })]);
  expect(reports.map(({ ok, parallelism }) => ({ ok, isOne: parallelism === 1 }))[1]).toEqual({
    ok: true,
    isOne: true,
  });
  expect(reports[0].ok).toBe(true);
});

test('options of a pool that are wrong are reported, not thrown', async () => {
  const { ok, checks } = await doctor({ pool: { parallelism: 0 } });
  expect(ok).toBe(false);
  expect(checks.find(({ name }) => name === 'threads')?.finding).toContain('parallelism must be an integer from 1');
});
