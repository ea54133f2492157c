/** The stack has room, until it has little left: on whatever engine this runs. */
import { expect, test } from 'vitest';
import { hasStackRoom, requireStackRoom } from '../../../../src/core/worker/stack-room.js';

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
