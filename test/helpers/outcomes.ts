/** What promises come to, for tests that expect failures. */

/** The error that a promise rejects with, or a text that no error is equal to. */
export const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => `no error but ${String(value)}`,
    (error: unknown) => error,
  );
