/** Defines a clear error: one from the library that names its subject, or a value that hostile code itself threw. */
import { expect } from 'vitest';

/** Messages of engines that show that the library used a value without checking it. */
const ENGINE =
  /^Cannot (read|set|convert|destructure|mix|perform|assign|add|define|delete)|is not (a function|iterable|a constructor|defined|an object)|Invalid (typed array|array|DataView|count)|on incompatible receiver|called on non-object|out of bounds|Maximum call stack|could not be cloned/;

/**
 * @param hostileCode whether code of the arguments has run, whose errors may come from the engine
 * @throws an assertion error, unless `error` is an Error with a helpful message
 */
export function expectClear(error: unknown, { hostileCode }: { readonly hostileCode: boolean }): void {
  if (hostileCode && !(Object.prototype.toString.call(error) === '[object Error]')) return; // thrown by the hostile code
  expect(error).toBeInstanceOf(Error);
  const { message } = error as Error;
  expect(message).not.toBe('');
  if (!hostileCode && !message.startsWith('furcate:')) expect(message).not.toMatch(ENGINE);
}
