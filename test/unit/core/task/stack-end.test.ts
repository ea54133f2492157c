/** What a task fails with that has used up the stack. */
import { expect, test } from 'vitest';
import { asStackError } from '../../../../src/core/task/stack-end.js';

test.each([
  ['V8', new RangeError('Maximum call stack size exceeded')],
  ['JavaScriptCore', new RangeError('Maximum call stack size exceeded.')],
  ['SpiderMonkey', Object.assign(new Error('too much recursion'), { name: 'InternalError' })],
])('the error of %s becomes the same RangeError, once', (_, cause) => {
  const error = asStackError(cause);
  expect(error).toBeInstanceOf(RangeError);
  expect(error).toMatchObject({ message: expect.stringMatching(/^furcate: the stack is used up.*stackSizeMb/), cause });
  expect(asStackError(error)).toBe(error);
});

test('whatever else was thrown stays what it was', () => {
  const hostile = {
    get name(): string {
      throw new Error('a getter');
    },
  };
  for (const thrown of [undefined, null, 'text', new RangeError('Invalid array length'), hostile])
    expect(asStackError(thrown)).toBe(thrown);
});
