/** What engines say, as Node, Bun and Firefox say it. */
import { describe, expect, test } from 'vitest';
import {
  isStackOverflow,
  isWriteToFrozen,
  propertyOfNothing,
  unknownName,
} from '../../../../src/core/code/engine-messages.js';

/** The message of what a function throws here. */
function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
}

describe('a stack that is used up', () => {
  test.each([
    ['RangeError', 'Maximum call stack size exceeded'],
    ['RangeError', 'Maximum call stack size exceeded.'],
    ['InternalError', 'too much recursion'],
  ])('%s: %s', (name, message) => {
    expect(isStackOverflow(Object.assign(new Error(message), { name }))).toBe(true);
    expect(isStackOverflow(Object.assign(new Error(message), { name: 'TypeError' }))).toBe(false);
  });

  test('is what this engine throws', () => {
    const deep = (): number => 1 + deep();
    let thrown: unknown;
    try {
      deep();
    } catch (error) {
      thrown = error;
    }
    expect(isStackOverflow(thrown)).toBe(true);
  });

  test.each([undefined, null, 'RangeError', new RangeError('Invalid array length')])('is not %s', (other) => {
    expect(isStackOverflow(other)).toBe(false);
  });
});

describe('a name that nothing declares', () => {
  test.each(['factor is not defined', "Can't find variable: factor"])('%s', (message) => {
    expect(unknownName(message)).toBe('factor');
  });

  test('is not one that is declared later', () => {
    expect(unknownName("Cannot access 'factor' before initialization")).toBeUndefined();
  });
});

describe('a write to what is frozen', () => {
  const frozen = Object.freeze({ a: 1, list: Object.freeze([2, 1]) }) as { a: number; b?: number; list: number[] };
  test.each<[string, () => unknown]>([
    ['assign', () => ((frozen as { a: number }).a = 2)],
    ['add', () => ((frozen as { b: number }).b = 2)],
    ['delete', () => delete (frozen as { a?: number }).a],
    ['define', () => Object.defineProperty(frozen, 'a', { value: 2 })],
    ['push', () => frozen.list.push(1)],
    ['pop', () => frozen.list.pop()],
    ['sort', () => frozen.list.sort()],
    ['length', () => (frozen.list.length = 0)],
  ])('as this engine says it: %s', (_, write) => {
    expect(isWriteToFrozen(messageOf(write))).toBe(true);
  });

  test.each([
    'Attempted to assign to readonly property.',
    'Attempting to define property on object that is not extensible.',
    'Attempting to change value of a readonly property.',
    'Unable to delete property.',
    'Array length is not writable',
  ])('as JavaScriptCore says it: %s', (message) => {
    expect(isWriteToFrozen(message)).toBe(true);
  });

  test.each([
    '"a" is read-only',
    '0 is read-only',
    'can\'t define property "b": Object is not extensible',
    'property "a" is non-configurable and can\'t be deleted',
    'can\'t redefine non-configurable property "a"',
    "can't define array index property past the end of an array with non-writable length",
  ])('as SpiderMonkey says it: %s', (message) => {
    expect(isWriteToFrozen(message)).toBe(true);
  });

  test.each([
    "Cannot assign to read only property '0' of string 'abc'",
    'undefined is not an object',
    'Invalid array length',
  ])('is not %s', (message) => {
    expect(isWriteToFrozen(message)).toBe(false);
  });
});

describe('a property of nothing', () => {
  const nothing = undefined as unknown as { K: number };
  test('as this engine says it', () => {
    expect(propertyOfNothing(messageOf(() => nothing.K))).toMatchObject({ property: 'K', isDestructured: false });
    const takeApart = (): number => {
      const { K } = nothing;
      return K;
    };
    expect(propertyOfNothing(messageOf(takeApart))).toMatchObject({ property: 'K', isDestructured: true });
  });

  test.each([
    ["Cannot read properties of undefined (reading 'K')", { property: 'K', isDestructured: false }],
    ["Cannot destructure property 'K' of 'c' as it is undefined.", { property: 'K', isDestructured: true, from: 'c' }],
    ["Cannot destructure property 'K' from null or undefined value", { property: 'K', isDestructured: true }],
    ["undefined is not an object (evaluating 'c.K')", { property: 'K', isDestructured: false, from: 'c' }],
    ['can\'t access property "K", c is undefined', { property: 'K', isDestructured: false, from: 'c' }],
    ['(destructured parameter) is undefined', { property: undefined, isDestructured: true, from: 'undefined' }],
    ['c is undefined', { property: undefined, isDestructured: true, from: 'c' }],
    ["undefined is not an object (evaluating '$c.$K')", { property: '$K', isDestructured: false, from: '$c' }],
  ])('%s', (message, found) => {
    expect(propertyOfNothing(message)).toEqual(found);
  });

  test.each([
    "Cannot set properties of undefined (setting 'K')",
    "undefined is not an object (evaluating 'c.K = 1')",
    "Cannot read properties of null (reading 'K')",
    'x is not a function',
    'c.d is undefined',
    '(destructured parameter).K is undefined',
  ])('is not %s', (message) => {
    expect(propertyOfNothing(message)).toBeUndefined();
  });
});
