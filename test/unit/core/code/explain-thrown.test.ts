import { describe, expect, test } from 'vitest';
import { compileSource } from '../../../../src/core/code/compile.js';
import { openContext, shipContext } from '../../../../src/core/code/context.js';
import { explainThrown } from '../../../../src/core/code/explain-thrown.js';

const FN = 'fn of parallelMap';

const thrownBy = (source: string, ...args: unknown[]): unknown => {
  try {
    (compileSource(source) as (...args: unknown[]) => void)(...args);
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

/** What is shown for what a function throws when it is called with this context as its last argument. */
function explained(source: string, context?: Record<string, unknown>): Error {
  const ship = context === undefined ? undefined : shipContext(context, 'context');
  const args = [1, 0, ship === undefined ? undefined : openContext(ship)];
  return explainThrown(thrownBy(source, ...args), FN, ship) as Error;
}

const explain = (error: unknown): unknown => explainThrown(error, FN, undefined);

describe('an unknown name in a shipped function', () => {
  test('is reported as a captured variable, by name, with both cures', () => {
    const cause = thrownBy('() => factor * 2');
    const error = explain(cause) as ReferenceError;
    expect(error).toBeInstanceOf(ReferenceError);
    expect(error.message).toMatch(
      /^furcate: fn of parallelMap uses the captured variable `factor`, which does not travel/,
    );
    expect(error.message).toMatch(/`context`.*forkable\(/);
    expect(error.cause).toBe(cause);
  });

  test('of a function of the context is reported with what helps there: an argument', () => {
    const twice = compileSource('(x) => x * scale');
    const { message } = explained('(x, i, { twice }) => twice(x)', { scale: 2, twice });
    expect(message).toMatch(/^furcate: context\.twice uses the captured variable `scale`/);
    expect(message).toMatch(/sees its arguments and globals only: pass what it needs as an argument/);
  });

  test('that names functions is called the helper of a bundler, by its look', () => {
    const { message } = explained('(x) => { const f = n((a) => a, "f"); return f(x); }');
    expect(message).toMatch(
      /captured variable \(by its look, the helper with which a bundler keeps the names .* without splitting\) `n`/,
    );
  });

  test('keeps the frames of where it happened, whatever characters its name has', () => {
    for (const name of ['factor', '$', '$$', "$'", '$`', '$&'].filter((name) => /^[\w$]+$/.test(name))) {
      const cause = thrownBy(`() => ${name} * 2`) as Error;
      const error = explain(cause) as Error;
      expect(error.message).toContain(`\`${name}\``);
      expect(error.stack).toBe((cause.stack as string).split(cause.message).join(error.message));
    }
  });

  test.each([
    ["Can't find variable: factor", 'captured variable `factor`'],
    ['lodash_1 is not defined', 'captured variable (an import, by its look) `lodash_1`'],
    ['lodash_12 is not defined', 'captured variable (an import, by its look) `lodash_12`'],
    ['import_lodash is not defined', 'captured variable (an import, by its look) `import_lodash`'],
    ['_this is not defined', 'uses `this` of what stands around it'],
  ])('in any engine and compiler, with or without frames: %s', (message, text) => {
    const error = new ReferenceError(message);
    error.stack = `ReferenceError: ${message}`;
    expect((explain(error) as Error).message).toContain(text);
    error.stack = undefined as never;
    expect((explain(error) as Error).message).toContain(text);
  });

  test('is told from any other error, which stays what it is', () => {
    for (const error of [
      new TypeError('x is not defined'),
      new ReferenceError("Cannot access 'x' before initialization"),
      'x is not defined',
      null,
      undefined,
      thrownBy('() => { throw new RangeError("x is not defined"); }'),
    ]) {
      expect(explain(error)).toBe(error);
    }
  });

  test('of a module stays as it is: it is a mistake there, and no captured variable', () => {
    const error = new ReferenceError('document is not defined'); // its first frame is this file
    expect(explain(error)).toBe(error);
  });
});

describe('an unknown name in a function of the context', () => {
  const twice = (x: number): number => x * scale;
  const scale = 2;

  test('is blamed on that function, by its place, at any depth', () => {
    const byName = explained('(x, i, { twice }) => twice(x)', { twice, scale });
    expect(byName.message).toMatch(/^furcate: context\.twice uses the captured variable `scale`/);
    const deep = explained('(x, i, { tools }) => tools.list[0].twice(x)', { tools: { list: [{ twice }] }, scale });
    expect(deep.message).toMatch(/^furcate: context\.tools\.list\[0\]\.twice uses/);
    const inMap = explained("(x, i, { fns }) => fns.get('a')(x)", { fns: new Map([['a', twice]]) });
    expect(inMap.message).toMatch(/^furcate: context\.fns\.get\("a"\) uses/);
  });

  test('is blamed on the innermost one where they call each other', () => {
    const outer = (x: number, f: (x: number) => number): number => f(x) + 1;
    const error = explained('(x, i, { outer, twice }) => [x].map((y) => outer(y, twice))', { outer, twice, scale });
    expect(error.message).toMatch(/^furcate: context\.twice uses/);
  });

  test('is not blamed on it where the function of the call has it', () => {
    const error = explained('(x, i, { twice }) => twice + scale', { twice });
    expect(error.message).toMatch(/^furcate: fn of parallelMap uses the captured variable `scale`/);
  });
});

describe('a context that is missing', () => {
  test.each([
    ['(x, i, { K }) => x * K', 'K'],
    ['(x, i, { K = 1, L: [l] }) => x * K * l', 'K'],
    ['function (x, i, { $k }) { return x * $k; }', '$k'],
    ['(x, i, context) => x * context.K', 'K'],
    ['(x, i, c) => { const { K } = c; return K; }', 'K'],
    ['(x, i, c) => [x, i].map((y, k) => y + k)[0] * c.K', 'K'],
  ])('is what is reported, with the option to write: %s', (source, name) => {
    const error = explained(source);
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toBe(
      `furcate: fn of parallelMap takes \`${name}\` from its context, but the call has none. ` +
        `Pass it in the options: { context: { ${name} } }.`,
    );
    expect(error.cause).toBeInstanceOf(TypeError);
    expect(error.stack).toContain(error.message);
  });

  test.each([
    ['(x, i) => { const { K } = undefined; return K; }'],
    ['(x, i) => x.y.z'],
    ['(x, i, c) => { const o = {}; return o.deep.K; }'],
    ['(x, i) => { const f = (a) => a.K; return f(); }'],
  ])('is not what other undefined values are reported as: %s', (source) => {
    expect(explained(source).message).not.toContain('context');
  });

  test.each([
    ['(x, i, { K }) => x * K', "Cannot destructure property 'K' from null or undefined value", true],
    [
      '(x, i, c) => { const { K } = c; return K; }',
      "Cannot destructure property 'K' from null or undefined value",
      true,
    ],
    ['(x, i, c) => x * c.K', "undefined is not an object (evaluating 'c.K')", true],
    ['(x, i, c) => { const y = 1; return c.K; }', "undefined is not an object (evaluating 'y.K')", false],
    [
      '(x, i, c) => { const { K } = x; return c.K + K; }',
      "Cannot destructure property 'K' from null or undefined value",
      false,
    ],
  ])('is told from others by what JavaScriptCore says: %s', (source, message, isContext) => {
    const thrown = thrownBy(source) as TypeError; // for its frames
    const said = Object.assign(new TypeError(message), { stack: `${thrown.stack}`.replace(thrown.message, message) });
    expect((explain(said) as Error).message.includes('from its context')).toBe(isContext);
  });

  test.each([
    ['(x, i, { K }) => x * K', '(destructured parameter) is undefined', true],
    ['(x, i, { K = 1, L: [l] }) => x * K * l', '(destructured parameter) is undefined', true],
    ['(x, i, c) => { const { K } = c; return K; }', 'c is undefined', true],
    ['(x, i, c) => x * c.K', 'can\'t access property "K", c is undefined', true],
    ['(x, i, { K }) => [x].map(({ q }) => q)[0] * K', '(destructured parameter) is undefined', false], // of which one?
    ['(x, i, c) => { const { K } = x; return c.K + K; }', 'x is undefined', false],
    ['(x, i, c) => x[c].K', 'x[c] is undefined', false],
  ])('is told from others by what SpiderMonkey says: %s, %s', (source, message, isContext) => {
    const thrown = thrownBy(source) as TypeError; // for its frames
    const said = Object.assign(new TypeError(message), { stack: `${thrown.stack}`.replace(thrown.message, message) });
    const explanation = (explain(said) as Error).message;
    expect(explanation.includes('takes `K` from its context')).toBe(isContext);
  });

  test('is not what an error of a module is reported as', () => {
    const { K: error } = { K: new TypeError("Cannot read properties of undefined (reading 'K')") };
    expect(explain(error)).toBe(error);
  });

  test('is not reported where the call has one', () => {
    expect(explained('(x, i, { K: { k } }) => k', { other: 1 }).message).toMatch(/^Cannot (destructure|read)/);
  });
});

describe('a write to a context', () => {
  test.each([
    ['(x, i, context) => { context.n = 2; }'],
    ['(x, i, context) => { context.added = 2; }'],
    ['(x, i, context) => { delete context.n; }'],
    ['(x, i, { deep }) => { deep[0].n++; }'],
    ['(x, i, { out }) => { out.push(x); }'],
    ['(x, i, { out }) => { out[i] = x; }'],
    ['(x, i, context) => { Object.defineProperty(context, "n", { value: 2 }); }'],
    ['(x, i, { deep }) => { Object.assign(deep[0], { n: 1 }); }'],
  ])('is refused, with the way out: %s', (source) => {
    const error = explained(source, { n: 1, deep: [{ n: 1 }], out: [] });
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(
      /^furcate: fn of parallelMap writes to an object that cannot be changed \(Cannot .*\)\. .*`context`.*sharedArray\(/,
    );
  });

  test('is blamed on the function of the context that does it', () => {
    const add = (list: unknown[], x: unknown): unknown => list.push(x);
    expect(explained('(x, i, { add, out }) => add(out, x)', { add, out: [] }).message).toMatch(
      /^furcate: context\.add writes/,
    );
  });

  test('is not what errors about strings are reported as, or any in a call without a context', () => {
    expect(explained('(x) => { "abc"[0] = x; }', { n: 1 }).message).toMatch(/^Cannot assign/);
    expect(explained('(x) => { Object.freeze([1]).push(x); }').message).toMatch(/^Cannot add/);
  });
});
