/** Why a task could not be written to. */
import { expect, test } from 'vitest';
import { unwritable } from '../../../../src/core/task/unwritable.js';

test('a frozen task is the mistake of its class', () => {
  const cause = new TypeError('Cannot assign to read only property');
  const error = unwritable('Fib', cause);
  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({ message: expect.stringMatching(/^furcate: Fib cannot be written to/), cause });
});

test.each([
  ['V8', new RangeError('Maximum call stack size exceeded')],
  ['JavaScriptCore, where a write may be what finds no stack', new RangeError('Maximum call stack size exceeded.')],
  ['SpiderMonkey', Object.assign(new Error('too much recursion'), { name: 'InternalError' })],
])('the end of the stack is not: %s', (_, overflow) => {
  expect(unwritable('Fib', overflow)).toBe(overflow);
});
