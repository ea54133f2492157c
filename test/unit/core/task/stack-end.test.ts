/** What a task fails with that has used up the stack; and the stack has room, until it has little left: on whatever engine this runs. */
import { expect, test } from 'vitest';
import { pack } from '../../../../src/core/task/parcel.js';
import { asStackError, hasStackRoom, requireStackRoom } from '../../../../src/core/task/stack-end.js';
import { CODECS, hostWithCodec } from '../../../helpers/codecs.js';

const useCodec = hostWithCodec();

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

/** What `ask` says at each level of a recursion, from the outermost one down to where the stack ends. */
function askedDownTo(end: number, ask: () => boolean): boolean[] {
  const answers: boolean[] = [];
  const descend = (): void => {
    answers.push(ask());
    if (answers.length < end) descend();
  };
  try {
    descend();
  } catch {
    // the end of the stack
  }
  return answers;
}

test('there is room at first, and none where a hundred calls would still fit', () => {
  const answers = askedDownTo(Number.POSITIVE_INFINITY, hasStackRoom);
  const levels = answers.indexOf(false);
  expect(levels).toBeGreaterThan(100);
  expect(answers.length - levels).toBeGreaterThan(100); // so much room is kept
  expect(hasStackRoom()).toBe(true);
});

test('where there is no room, it is an error in our words', () => {
  const messages = new Set<string>();
  askedDownTo(Number.POSITIVE_INFINITY, () => {
    try {
      requireStackRoom();
    } catch (error) {
      messages.add((error as Error).message);
      return false;
    }
    return true;
  });
  expect([...messages].filter((message) => message.startsWith('furcate: the stack is used up'))).toHaveLength(1);
});

test.each(CODECS)('a value that %s cannot open where the stack is used up is not called too deep', (_, codec) => {
  useCodec(codec);
  let nested: unknown = new Error('the end');
  for (let k = 0; k < 100; k++) nested = [nested];
  const parcel = pack([nested], String);
  const errors: Error[] = [];
  askedDownTo(Number.POSITIVE_INFINITY, () => {
    try {
      if (!hasStackRoom()) parcel.open();
    } catch (error) {
      errors.push(error as Error);
    }
    return true;
  });
  expect(errors.map(({ name }) => name)).not.toContain('NotShareableError');
  expect(errors.filter(({ message }) => message.startsWith('furcate: the stack is used up'))).not.toEqual([]);
});
