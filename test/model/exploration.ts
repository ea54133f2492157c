/** The scenarios in a few test files of about equal time, which run side by side. */
import { describe, expect, test } from 'vitest';
import type { Change } from '../../scripts/changes/index.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { Explorer } from './explorer/explorer.js';
import { loadSource, type MakeCopy } from './explorer/load-source.js';
import { SCENARIOS } from './scenarios/all.js';

/** The families of scenarios by test file: a family is what stands before the colon of a name. */
export const FAMILIES = {
  structures: ['deque', 'steps', 'lock', 'chain', 'ranges', 'activation', 'best', 'readiness', 'tables'],
  joining: ['waking', 'joins', 'spares'],
  pools: ['pool', 'priorities', 'reports', 'coroutines', 'endings'],
} as const;

const isDeep = process.env['FURCATE_MODEL'] === 'deep';
/** One preemption at most: most bugs need no more. */
const isShort = process.env['FURCATE_MODEL'] === 'short';
/** One exploration: seconds here, hours in a deep run. */
const HANG_MS = isDeep ? 6 * 3600_000 : LONG_TEST_HANG_MS;

const sources = new Map<string, Promise<MakeCopy>>();

/** The source with `changes`, bundled once. */
function sourceWith(changes: readonly Change[] = []): Promise<MakeCopy> {
  const key = JSON.stringify(changes);
  const source = sources.get(key) ?? loadSource(changes);
  sources.set(key, source);
  return source;
}

/** Makes a test of each scenario of these families. */
export function explore(families: readonly string[]): void {
  const scenarios = [...SCENARIOS].filter(([name]) => families.includes(familyOf(name)));
  describe('the shipped source holds in every schedule', () => {
    test.each(scenarios)(
      '%s',
      async (name, { make, bound, deep, changes }) => {
        const most = isDeep ? deep : isShort ? Math.min(bound ?? 1, 1) : bound;
        const report = new Explorer(make(), await sourceWith(changes), most).explore();
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
}

export const familyOf = (name: string): string => name.split(':', 1)[0];
