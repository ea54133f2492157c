/* global expect, jest, test */
const furcate = require('furcate');
const { cases } = require('./cases.ts');
const tasks = require('./tasks.cjs');

cases(furcate, tasks, { test, expect, timers: jest });

test('modules that are evaluated again register again', async () => {
  let again;
  jest.isolateModules(() => {
    again = require('./tasks.cjs');
  });
  expect(again.echo).not.toBe(tasks.echo);
  expect(await furcate.ForkJoinPool.commonPool().invoke(again.echo, 1)).toBe(1);
});
