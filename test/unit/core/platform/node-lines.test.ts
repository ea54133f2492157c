import { runInThisContext } from 'node:vm';
import { expect, test } from 'vitest';
import { linesOf } from '../../../../src/core/platform/node-lines.js';

test('the lines of functions and classes are those of their files', () => {
  const [arrow, Class, method] = runInThisContext(`[
    (x) => x,

    class Fourth { constructor() {} },
    { method() {} }.method,
  ]`) as [object, object, object];
  expect(linesOf([arrow, undefined, Class, method])).toEqual([2, undefined, 4, 5]);
  expect(linesOf([])).toEqual([]);
  expect(Object.getOwnPropertySymbols(globalThis)).not.toContain(Symbol.for('furcate.lines'));
});
