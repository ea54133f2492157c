/** Calls every export of `furcate/flows` with hostile arguments, as public-face.test.ts does with the others. */
import * as flows from 'furcate/flows';
import { expect, test } from 'vitest';
import { seedOfRun } from '../helpers/seed.js';
import { flowsSubjects } from './flows-subjects.js';
import { pool, testSubjects } from './test-subjects.js';

const all = flowsSubjects(pool);

testSubjects(all, seedOfRun('fuzz of flows'));

test('the table of subjects has every export', () => {
  const names = new Set(all.map(({ name }) => name));
  expect(Object.keys(flows).filter((name) => !names.has(name))).toEqual([]);
});
