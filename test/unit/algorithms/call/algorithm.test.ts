/** The two forms of an algorithm, by what they tell `begin`. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Algorithm } from '../../../../src/algorithms/call/algorithm.js';
import { checkArrayOrValues, readOptions } from '../../../../src/algorithms/call/options.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';

registerHost(detectNode);

const done =
  <R>(value: R) =>
  () => ({ job: undefined, result: () => value });

test('the form of a call does not depend on the text of the name', async () => {
  const names = fc.constantFrom('parallelMap', 'parallelSync', 'parallelMapSync', 'Sync', 'a');
  await fc.assert(
    fc.asyncProperty(names, async (name) => {
      const echo = new Algorithm(name, (callee, ...args: number[]) => done({ callee, args }));
      const both = { promise: name, sync: `${name}Sync` };
      const ofPromise = await echo.promise(1, 2);
      expect(ofPromise).toEqual({ callee: { form: 'promise', name, names: both }, args: [1, 2] });
      expect(echo.sync(3)).toEqual({ callee: { form: 'sync', name: both.sync, names: both }, args: [3] });
      expect([ofPromise.callee, echo.sync().callee]).toEqual([echo.callees.promise, echo.callees.sync]);

      const timed = new Algorithm(name, (callee) =>
        done(readOptions(callee, { timeoutMs: 1000 }).call.options.timeoutMs),
      );
      await expect(timed.promise()).resolves.toBe(1000);
      expect(() => timed.sync()).toThrow(
        `${name}Sync: options.timeoutMs is of no use to a call that blocks. Use await ${name}() `,
      );
    }),
  );
});

test('a list of plain values has the promise form as its cure, where that takes one', () => {
  const check = new Algorithm('parallelDouble', (callee, xs: unknown) => done(checkArrayOrValues(callee, xs)));
  expect(() => check.sync([1])).toThrow('Use await parallelDouble(), which takes plain values.');
  expect(() => check.sync('abc')).toThrow(/parallelDoubleSync: xs must be a typed array, but it is "abc"\.$/);
});

test('what begin throws rejects the promise form, and is thrown by the Sync form', async () => {
  const failing = new Algorithm('parallelFail', ({ name }) => {
    throw new RangeError(name);
  });
  await expect(failing.promise()).rejects.toThrow(new RangeError('parallelFail'));
  expect(() => failing.sync()).toThrow(new RangeError('parallelFailSync'));
});
