import { expect, test, vi } from 'vitest';

/** A module of its own for each test, because parts are told of for good. */
async function fresh() {
  vi.resetModules();
  return import('../../../../src/core/worker/extension.js');
}

test('all parts that listen hear of a notice, in the order in which they were evaluated', async () => {
  const { install, hooks } = await fresh();
  const heard: string[] = [];
  install({ idle: () => void heard.push('first') });
  install({ idle: () => void heard.push('second') });
  install({ idle: () => void heard.push('third') });
  hooks.idle();
  expect(heard).toEqual(['first', 'second', 'third']);
});

test('a second part that would do what one part does is refused', async () => {
  const { install } = await fresh();
  install({ report: () => {} });
  expect(() => install({ report: () => {} })).toThrow("furcate: two parts do 'report'");
});
