import { expect, test } from 'vitest';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { Profile } from '../../../../src/insight/profile/report.js';
import { measuredRuns } from '../../../helpers/journals.js';

registerHost(detectNode);

const runs = measuredRuns([
  {
    fork: [100, { fork: [900], form: 'class' }, { fork: [900], form: 'class' }, { join: 1 }, { join: 0 }],
    form: 'class',
  },
  { join: 0 },
]);

test('a replay that is slower than the bound lowers it, and a fast one stays below the most', () => {
  for (const slower of [0.1, 0.5, 0.9, 1, 1.5, 3]) {
    const estimate = { ...runs.estimate(), replay: (threads: number) => 1900 / (1 + (threads - 1) / slower) };
    const report = new Profile(runs, estimate, undefined);
    for (const threads of [1, 2, 3, 8, 64]) {
      const { atLeast, expected, atMost } = report.speedUp(threads);
      expect(atLeast).toBeGreaterThanOrEqual(1);
      expect(expected).toBeGreaterThanOrEqual(atLeast);
      expect(atMost).toBeGreaterThanOrEqual(expected);
    }
  }
});

test('a plot takes points, and nothing else', () => {
  const report = new Profile(runs, runs.estimate(), undefined);
  expect(report.toSvg([{ threads: 2, speedUp: 1.9 }]).match(/<circle/g)).toHaveLength(1);
  expect(report.toSvg([{ threads: 65, speedUp: 1.9 }])).not.toMatch(/<circle|NaN|Infinity/);
  const others = [
    'x',
    null,
    [null],
    [{ threads: 2 }],
    [{ threads: Number.NaN, speedUp: 1 }],
    [{ threads: 2, speedUp: Number.POSITIVE_INFINITY }],
  ];
  for (const measured of others)
    expect(() => report.toSvg(measured as never)).toThrow(/^furcate: toSvg\(measured\) takes points/);
});
