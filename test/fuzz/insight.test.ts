/** Calls every export of `furcate/insight` with hostile arguments, as public-face.test.ts does with the others. */
import * as insight from 'furcate/insight';
import { expect, test } from 'vitest';
import { seedOfRun } from '../helpers/seed.js';
import type { Kind, Subject } from './subjects.js';
import { testSubjects } from './test-subjects.js';

type Loose = (...args: unknown[]) => unknown;

const subject = (name: string, kinds: readonly Kind[], call: Loose): Subject => ({ name, kinds, call });

const all = [
  subject('charge', ['count'], insight.charge as Loose),
  subject('region', ['name', 'function'], insight.region as Loose),
  subject('checkReducer', ['operation', 'items', 'anything'], insight.checkReducer as Loose),
  subject('profile', ['anything', 'anything'], (fn, options) => insight.profile(fn as never, options as never)),
  subject('SimulatedPool', ['anything'], (options) => new insight.SimulatedPool(options as never)),
  subject('trace', ['anything', 'anything'], (fn, options) => insight.trace(fn as never, options as never)),
];

testSubjects(all, seedOfRun('fuzz of insight'));

test('the table of subjects has every export', () => {
  const names = new Set(all.map(({ name }) => name));
  expect(Object.keys(insight).filter((name) => !names.has(name))).toEqual([]);
});
