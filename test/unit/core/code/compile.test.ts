import { afterEach, describe, expect, test, vi } from 'vitest';
import { compileSource } from '../../../../src/core/code/compile.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('compiling', () => {
  test('gives a strict function that sees globals alone', () => {
    const local = 1;
    const f = compileSource('(x) => typeof local + typeof Math + x') as (x: number) => string;
    expect(f(local)).toBe('undefinedobject1');
    expect((compileSource('function () { return this; }') as () => unknown)()).toBeUndefined();
    expect((compileSource('(x) => x // comment') as (x: number) => number)(2)).toBe(2);
  });

  test('lets a SyntaxError through', () => {
    expect(() => compileSource('(x) => (')).toThrow(SyntaxError);
  });

  test('explains what to do where code generation is forbidden', () => {
    vi.stubGlobal('Function', function refuse() {
      throw new EvalError("Refused to evaluate a string as JavaScript because 'unsafe-eval' is not allowed");
    });
    const compile = (): unknown => compileSource('(x) => x');
    expect(compile).toThrow(EvalError);
    expect(compile).toThrow(/Content Security Policy.*Register the function instead, forkable\(import\.meta\.url/);
  });
});
