import { expect, jest, test } from '@jest/globals';
import * as furcate from 'furcate';
import { cases } from './cases.ts';
import tasks from './tasks.mjs';
import { metres } from './typed-tasks.ts';

cases(furcate, tasks, { test, expect, timers: jest });

test('workers import TypeScript by furcate/tsx', async () => {
  expect(await furcate.ForkJoinPool.commonPool().invoke(metres, 2)).toBe(2000);
});
