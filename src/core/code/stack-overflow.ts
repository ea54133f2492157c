/** How engines report that the stack is used up; runs on every thread. */

/** Whether this is the error of an engine whose stack was used up: of V8 and JavaScriptCore, or of SpiderMonkey. */
export function isStackOverflow(error: unknown): error is Error {
  const { name, message } = (error ?? {}) as Partial<Error>;
  if (name === 'InternalError') return message === 'too much recursion';
  return name === 'RangeError' && typeof message === 'string' && message.startsWith('Maximum call stack size exceeded');
}
