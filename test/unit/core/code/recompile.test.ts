import { describe, expect, it, vi } from 'vitest';
import { recompile } from '../../../../src/core/code/specialize.js';

const makeSum = (of: (i: number) => number) =>
  function sum(lo: number, hi: number): number {
    let total = 0;
    for (let i = lo; i < hi; i++) total += of(i);
    return total;
  };
const makeSumWhile = (of: (i: number) => number) =>
  function sum(lo: number, hi: number): number {
    let total = 0;
    while (lo < hi) total += of(lo++);
    return total;
  };
/** As a minifier leaves it. */
const makeSumShort = new Function(
  'return (e=>function(n,t){let r=0;for(;n<t;n++)r+=e(n);return r})',
)() as typeof makeSum;
const makeAfter = (key: (x: number) => number) =>
  function after(a: number, b: number): boolean {
    return key(a) > key(b);
  };
/** Loops, but in functions that are made one by one. */
const makeKernel = (of: (i: number) => number) => {
  const sum = (hi: number): number => {
    let total = 0;
    for (let i = 0; i < hi; i++) total += of(i);
    return total;
  };
  return { sum };
};

const square = (i: number): number => i * i;

describe('recompile', () => {
  it.each([makeSum, makeSumWhile, makeSumShort])('makes loops that do the same, too long to be inlined', (make) => {
    const sum = recompile(make)(square);
    expect(sum(0, 5)).toBe(30);
    expect(sum(5, 5)).toBe(0);
    // Sparse code is three bytes of bytecode to five characters at least; 460 is the most that V8 inlines.
    expect(sum.toString().length - make(square).toString().length).toBeGreaterThan((460 * 5) / 3);
  });

  it('leaves alone what belongs into the loops of others', () => {
    const after = recompile(makeAfter)(square);
    expect(after(3, 2)).toBe(true);
    expect(after.toString()).toBe(makeAfter(square).toString());
    const kernel = recompile(makeKernel)(square);
    expect(kernel.sum(4)).toBe(14);
    expect(kernel.sum.toString()).toBe(makeKernel(square).sum.toString());
  });

  it('gives the maker itself where compiling is forbidden', () => {
    vi.stubGlobal('Function', () => {
      throw new EvalError('forbidden');
    });
    try {
      expect(recompile(makeSum)).toBe(makeSum);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
