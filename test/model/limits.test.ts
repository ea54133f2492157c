/**
 * The permits of limits in every order of events: they are counted on one thread, so the schedules are what users call and when, and which turn of the
 * event loop sees it. Random orders of more tasks are in test/unit/flows/limit.
 */
import { readFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { type Change, call, changed, drop, ifOn, replace } from '../../scripts/changes/index.js';
import type * as Source from '../../src/flows/limit/admission.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { exploreOrders, OrderFailure } from './orders/explore.js';
import { type LimitCase, LimitTrial } from './orders/limits.js';

const isDeep = process.env['FURCATE_MODEL'] === 'deep';
const isShort = process.env['FURCATE_MODEL'] === 'short';
/** How many events the event loop may see in one turn. */
const MOST_IN_TURN = isDeep ? Number.POSITIVE_INFINITY : isShort ? 2 : 3;

const FILE = 'src/flows/limit/admission.ts';

async function sourceWith(changes: readonly Change[] = []): Promise<typeof Source> {
  const text = changes.reduce(changed, readFileSync(FILE, 'utf8'));
  const { code } = await transform(text, { loader: 'ts', target: 'es2022' });
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

const CASES = {
  'one limit, of which some need one permit and some need all': { sizes: [2], needs: [[1], [2], [1], [1]] },
  'two limits, which one task needs both': {
    sizes: [1, 1],
    needs: [
      [1, 0],
      [1, 1],
      [0, 1],
      [1, 0],
    ],
  },
  'two limits, of which one has several permits': {
    sizes: [1, 2],
    needs: [
      [1, 1],
      [0, 2],
      [1, 0],
      [0, 1],
    ],
  },
  'three tasks that would wait in a circle if they took one permit after the other': {
    sizes: [1, 1, 1],
    needs: [
      [1, 1, 0],
      [0, 1, 1],
      [1, 0, 1],
    ],
  },
} satisfies Record<string, LimitCase>;

const explore = (source: typeof Source, given: LimitCase): Promise<number> =>
  exploreOrders(() => new LimitTrial(source, given, MOST_IN_TURN));

describe('permits are neither lost nor given twice, and nobody waits or is overtaken without need', () => {
  test.each(Object.entries(CASES))(
    '%s',
    async (name, given) => {
      const states = await explore(await sourceWith(), given);
      console.log(`limits: ${name}: every order of events, at most ${MOST_IN_TURN} in a turn, ${states} states`);
      expect(states).toBeGreaterThan(100);
    },
    LONG_TEST_HANG_MS,
  );
});

/** Bugs, each with the first case that finds it. */
const PLANTED: readonly (readonly [name: string, caughtBy: keyof typeof CASES, change: Change])[] = [
  [
    'the first in a line starts though its permits are not free',
    'one limit, of which some need one permit and some need all',
    replace(FILE, 'Stock.serve', call('areFree'), 'true'),
  ],
  [
    'one that is first at one limit overtakes at another',
    'two limits, of which one has several permits',
    replace(FILE, 'Stock.serve', call('isFirst'), 'true'),
  ],
  [
    'one that starts stays in line',
    'one limit, of which some need one permit and some need all',
    drop(FILE, 'Stock.serve', call('leave')),
  ],
  [
    'one that was held up at another limit is forgotten',
    'two limits, of which one has several permits',
    drop(FILE, 'Stock.serve', call('due.add')),
  ],
  [
    'whoever finds free permits takes them',
    'one limit, of which some need one permit and some need all',
    replace(FILE, 'Admission.tryTake', call('this.asks.every'), 'true'),
  ],
  [
    'nobody is told that permits are free again',
    'one limit, of which some need one permit and some need all',
    drop(FILE, 'Permits.release', call('Stock.serve')),
  ],
  [
    'one that is cancelled stays in line',
    'one limit, of which some need one permit and some need all',
    drop(FILE, 'withdraw', call('leave')),
  ],
  [
    'those behind one that is cancelled are forgotten',
    'one limit, of which some need one permit and some need all',
    drop(FILE, 'withdraw', call('Stock.serve')),
  ],
  [
    'one that is cancelled is not told',
    'one limit, of which some need one permit and some need all',
    drop(FILE, 'withdraw', call('reject')),
  ],
  [
    'nobody hears of a cancellation while it waits',
    'one limit, of which some need one permit and some need all',
    drop(FILE, 'Admission.take', call('addEventListener')),
  ],
  [
    'one that is cancelled when its turn has come starts',
    'one limit, of which some need one permit and some need all',
    drop(FILE, 'Admission.run', ifOn('aborted')),
  ],
  [
    'what has ended keeps its permits',
    'one limit, of which some need one permit and some need all',
    drop(FILE, 'Admission.run', call('release')),
  ],
];

describe('a planted bug is found', () => {
  test.each(PLANTED)(
    '%s -> %s',
    async (_, caughtBy, change) => {
      const source = await sourceWith([change]);
      await expect(explore(source, CASES[caughtBy])).rejects.toBeInstanceOf(OrderFailure);
    },
    LONG_TEST_HANG_MS,
  );
});
