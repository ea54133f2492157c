import { expect, test, vi } from 'vitest';

/** A module of its own for each test, because parts are told of for good. */
async function fresh() {
  vi.resetModules();
  return import('../../../../src/core/worker/extension.js');
}

test('all parts that listen hear of a notice, in the order in which they were evaluated', async () => {
  const { extend, moments } = await fresh();
  const heard: string[] = [];
  extend({ idle: () => void heard.push('first') });
  extend({ idle: () => void heard.push('second') });
  extend({ idle: () => void heard.push('third') });
  moments.idle();
  expect(heard).toEqual(['first', 'second', 'third']);
});

test('a second part that would do what one part does is refused', async () => {
  const { extend } = await fresh();
  extend({ report: () => {} });
  expect(() => extend({ report: () => {} })).toThrow("furcate: two parts do 'report'");
});
