/** What tests use of `node:assert/strict`, for hosts that lack it. */
import { expect } from 'vitest';

type Message = string | Error | undefined;

function ok(value: unknown, message?: Message): asserts value {
  if (message instanceof Error && !value) throw message;
  expect(Boolean(value), message?.toString() ?? 'a value that is truthy').toBe(true);
}

const textOf = (message: Message): string | undefined => message?.toString();

/** Checks an error as Node does: by a class, by a pattern for its text, by a function, by fields. */
function checkError(error: unknown, expected: unknown, message?: string): void {
  if (expected === undefined || typeof expected === 'string') return;
  if (expected instanceof RegExp) expect(String(error), message).toMatch(expected);
  else if (typeof expected === 'object') expect(error, message).toMatchObject(expected as object);
  else if (expected === Error || (expected as { prototype?: unknown }).prototype instanceof Error)
    expect(error, message).toBeInstanceOf(expected);
  else ok((expected as (error: unknown) => unknown)(error), message);
}

const deepEqual = (actual: unknown, expected: unknown, message?: Message): void =>
  expect(actual, textOf(message)).toStrictEqual(expected);

export default Object.assign(ok, {
  ok,
  deepEqual,
  deepStrictEqual: deepEqual,
  equal: (actual: unknown, expected: unknown, message?: Message): void =>
    expect(actual, textOf(message)).toBe(expected),
  notEqual: (actual: unknown, expected: unknown, message?: Message): void =>
    expect(actual, textOf(message)).not.toBe(expected),
  match: (text: string, pattern: RegExp, message?: Message): void => expect(text, textOf(message)).toMatch(pattern),
  fail: (message?: Message): never => expect.fail(textOf(message)),
  throws: (body: () => unknown, expected?: unknown, message?: string): void => {
    let thrown: { readonly error: unknown } | undefined;
    try {
      body();
    } catch (error) {
      thrown = { error };
    }
    if (thrown === undefined) expect.fail(message ?? 'a call that should throw');
    checkError(thrown.error, expected, message);
  },
  rejects: async (promise: PromiseLike<unknown> | (() => PromiseLike<unknown>), expected?: unknown): Promise<void> => {
    const [settled] = await Promise.allSettled([typeof promise === 'function' ? promise() : promise]);
    if (settled.status === 'fulfilled') expect.fail('a promise that should reject');
    checkError(settled.reason, expected);
  },
});
