import { describe, expect, test, vi } from 'vitest';
import { specialize } from '../../../../src/core/code/specialize.js';

const makeCall = (fn: (x: number) => number) =>
  function call(x: number): number {
    return fn(x) + 1;
  };
const makePair = (f: (x: number) => number, g: (x: number) => number) => (x: number) => f(g(x));

describe('fresh', () => {
  test('returns what the maker does, once for each function', () => {
    const double = (x: number): number => 2 * x;
    const half = (x: number): number => x / 2;
    expect(specialize(makeCall, '', double)(5)).toBe(11);
    expect(specialize(makeCall, '', half)(5)).toBe(3.5);
    expect(specialize(makeCall, '', double)).toBe(specialize(makeCall, '', double));
    expect(specialize(makeCall, '', double)).not.toBe(specialize(makeCall, '', half));
    expect(specialize(makeCall, 'other', double)).not.toBe(specialize(makeCall, '', double));
  });

  test('keeps apart makers of several functions, and their order', () => {
    const next = (x: number): number => x + 1;
    const double = (x: number): number => 2 * x;
    expect(specialize(makePair, '', next, double)(5)).toBe(11);
    expect(specialize(makePair, '', double, next)(5)).toBe(12);
    expect(specialize(makePair, '', double, double)(5)).toBe(20);
  });

  test('gives each function code of its own, which the engine does not take for the same', () => {
    const texts: string[] = [];
    const original = globalThis.Function;
    vi.stubGlobal('Function', function record(...args: string[]) {
      texts.push(args[0]);
      return original(...args);
    });
    try {
      specialize(makeCall, 'own', (x) => x);
      specialize(makeCall, 'own', (x) => -x);
    } finally {
      vi.unstubAllGlobals();
    }
    expect(texts).toHaveLength(2);
    expect(texts[0]).not.toBe(texts[1]);
  });

  test('falls back to shared code where compiling is forbidden', () => {
    vi.stubGlobal('Function', () => {
      throw new EvalError('forbidden');
    });
    try {
      expect(specialize(makeCall, 'policy', (x) => 3 * x)(5)).toBe(16);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
