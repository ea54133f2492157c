import fc from 'fast-check';
import { expect, test } from 'vitest';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { ProfiledRuns } from '../../../../src/insight/profile/estimate.js';
import { Profile } from '../../../../src/insight/profile/report.js';
import { label, measuredRun } from '../../../helpers/journals.js';

registerHost(detectNode);

const LEAVES = 8;
const THREADS = 2;
const COUNTS = {
  steals: 1,
  publications: 0,
  reclaimed: 0,
  failedSteals: 0,
  sleeps: 0,
  encodedBytes: 0,
  copiedBytes: 0,
};

/** A run of leaves of the same length. @param cpu the part of it for which threads had a processor */
function run(us: number, { beside = true, cpu = 1, threads = THREADS }): ReturnType<typeof measuredRun> {
  const leaves = Array.from({ length: LEAVES }, () => ({ fork: [us], form: 'class' }) as const);
  const joins = leaves.map((_, k) => ({ join: LEAVES - 1 - k }));
  const busyUs = LEAVES * us;
  const usage = {
    pools: 1,
    threads,
    busyUs,
    wallUs: beside ? busyUs / threads : busyUs,
    upUs: busyUs,
    cpuUs: cpu * busyUs,
  };
  return measuredRun(
    [{ fork: [...leaves, ...joins], form: 'class' }, { join: 0 }],
    [[label.name, label.module, LEAVES + 1, busyUs]],
    {
      ...usage,
      counts: COUNTS,
    },
  );
}

function reportOf(add: (runs: ProfiledRuns) => void): Profile {
  const runs = new ProfiledRuns();
  add(runs);
  return new Profile(runs, runs.estimate(), undefined);
}

const lengths = fc.integer({ min: 50, max: 10_000 });
/** All runs with all threads suffer alike: nothing but a run on one thread can tell. */
const suffering = (us: number, factor: number, aloneToo: boolean): Profile =>
  reportOf((runs) => {
    for (let k = 0; k < 15; k++) runs.add(...run(us * factor, {}));
    if (aloneToo) for (let k = 0; k < 2; k++) runs.addAlone(...run(us, { beside: false }));
  });

test('tasks that all threads slow down in each run are told, with what they take on one thread, and work is what that takes', () => {
  fc.assert(
    fc.property(lengths, fc.double({ min: 1.4, max: 5, noNaN: true }), (us, factor) => {
      const report = suffering(us, factor, true);
      expect(report.work).toBeCloseTo(LEAVES * us);
      expect(report.byTask[0]?.inflation).toBeCloseTo(factor);
      expect(report.time?.inflation).toBeCloseTo(LEAVES * us * (factor - 1));
      const perTask = (LEAVES * us) / (LEAVES + 1);
      const [one = '', ...others] = report.suspicions;
      expect(others).toEqual([]);
      const [, ...told] =
        /^tree in tree\.mjs takes ([\d.]+) times as long on 2 threads as on one \(([\d.,]+) us instead of ([\d.,]+) us\): .*false sharing/.exec(
          one,
        ) ?? [];
      const numbers = told.map((text) => Number(text.replaceAll(',', '')));
      for (const [k, value] of [factor, perTask * factor, perTask].entries())
        expect(Math.abs((numbers[k] ?? Number.NaN) / value - 1)).toBeLessThan(0.01);
      expect(String(report)).toContain(one);
    }),
    { numRuns: 20 },
  );
});

test('without a run on one thread nobody can tell', () => {
  const report = suffering(1000, 2, false);
  expect(report.work).toBeCloseTo(LEAVES * 2000);
  expect(report.suspicions).toEqual([]);
  expect(report.byTask[0]?.inflation).toBeUndefined();
});

test('tasks that take the same time on one thread are not suspect, nor those that are a little slower, nor short ones', () => {
  fc.assert(
    fc.property(lengths, fc.double({ min: 0.5, max: 1.25, noNaN: true }), (us, factor) => {
      expect(suffering(us, factor, true).suspicions).toEqual([]);
    }),
    { numRuns: 20 },
  );
  expect(suffering(3, 2, true).suspicions).toEqual([]);
});

test('threads that wait for a processor, because other programs want it, are not suspect', () => {
  fc.assert(
    fc.property(lengths, fc.double({ min: 1, max: 10, noNaN: true }), (us, busy) => {
      const report = reportOf((runs) => {
        for (let k = 0; k < 15; k++) runs.add(...run(us * busy, { cpu: 1 / busy }));
        for (let k = 0; k < 2; k++) runs.addAlone(...run(us, {}));
      });
      if (busy <= 1.2) expect(report.byTask[0]?.inflation).toBeCloseTo(1);
      if (busy > 1.3) expect(report.byTask[0]?.inflation).toBeUndefined();
      expect(report.suspicions).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

test('runs whose tasks did not run beside each other say nothing about all threads', () => {
  const report = reportOf((runs) => {
    for (let k = 0; k < 12; k++) runs.add(...run(100, { beside: false }));
    for (let k = 0; k < 3; k++) runs.add(...run(200, {}));
    runs.addAlone(...run(100, { beside: false }));
  });
  expect(report.byTask[0]?.inflation).toBeCloseTo(2);
});

test('runs on one thread are due after some of the others, at the end, and take a quarter of their time', () => {
  for (const threads of [2, 8, 64]) {
    const runs = new ProfiledRuns();
    let alone = 0;
    for (let k = 1; k <= 60; k++) {
      runs.add(...run(100, { threads }));
      if (!runs.isAloneDue(k === 60)) continue;
      alone++;
      runs.addAlone(...run(100, { threads: 1 }));
    }
    expect(alone).toBeGreaterThanOrEqual(1);
    expect((alone - 1) * threads).toBeLessThanOrEqual(60 / 4);
  }
  const onOne = new ProfiledRuns();
  onOne.add(...run(100, { threads: 1 }));
  expect(onOne.isAloneDue(true)).toBe(false); // it has run on one
});
