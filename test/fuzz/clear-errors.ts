/** What counts as a clear error: one that the library made, that names its subject; or what hostile code threw itself. */
import { expect } from 'vitest';

/** What engines say when code touched what it should have checked. */
const ENGINE =
  /^Cannot (read|set|convert|destructure|mix|perform|assign|add|define|delete)|is not (a function|iterable|a constructor|defined|an object)|Invalid (typed array|array|DataView|count)|on incompatible receiver|called on non-object|out of bounds|Maximum call stack|could not be cloned/;

/**
 * @param hostileCode some code of the input's own has run, so that the engine may speak of that
 * @throws an assertion, unless this is an Error whose message helps
 */
export function expectClear(error: unknown, { hostileCode }: { readonly hostileCode: boolean }): void {
  if (hostileCode && !(Object.prototype.toString.call(error) === '[object Error]')) return; // it threw that itself
  expect(error).toBeInstanceOf(Error);
  const { message } = error as Error;
  expect(message).not.toBe('');
  if (!hostileCode && !message.startsWith('furcate:')) expect(message).not.toMatch(ENGINE);
}
