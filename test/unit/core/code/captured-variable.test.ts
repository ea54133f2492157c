import { describe, expect, test } from 'vitest';
import { explainReferenceError } from '../../../../src/core/code/captured-variable.js';
import { compileSource } from '../../../../src/core/code/compile.js';

const thrownBy = (source: string): unknown => {
  try {
    (compileSource(source) as () => void)();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('an unknown name in a shipped function', () => {
  test('is reported as a captured variable, by name, with both cures', () => {
    const cause = thrownBy('() => factor * 2');
    const error = explainReferenceError(cause, "parallelMap's fn") as ReferenceError;
    expect(error).toBeInstanceOf(ReferenceError);
    expect(error.message).toMatch(
      /^furcate: parallelMap's fn uses the captured variable `factor`, which does not travel/,
    );
    expect(error.message).toMatch(/`context`.*forkable\(/);
    expect(error.cause).toBe(cause);
  });

  test('keeps the frames of where it happened', () => {
    const cause = thrownBy('() => factor * 2') as Error;
    const error = explainReferenceError(cause, 'fn') as Error;
    expect(error.stack).toContain(error.message);
    expect(error.stack?.split('\n').slice(1)).toEqual(cause.stack?.split('\n').slice(1));
  });

  test.each([
    ["Can't find variable: factor", 'captured variable `factor`'],
    ['lodash_1 is not defined', 'captured variable (an import, by its look) `lodash_1`'],
    ['import_lodash is not defined', 'captured variable (an import, by its look) `import_lodash`'],
    ['_this is not defined', 'uses `this` of what stands around it'],
  ])('in any engine and compiler: %s', (message, text) => {
    expect((explainReferenceError(new ReferenceError(message), 'fn') as Error).message).toContain(text);
  });

  test('is told from any other error, which stays what it is', () => {
    for (const error of [
      new TypeError('x is not defined'),
      new ReferenceError("Cannot access 'x' before initialization"),
      'x is not defined',
      null,
      undefined,
    ]) {
      expect(explainReferenceError(error, 'fn')).toBe(error);
    }
  });
});
