/** Code of its own for each use: the text stays, the function is a new one. */
import { expect, test, vi } from 'vitest';
import { recompile } from '../../../../src/core/code/specialize.js';

const makeSum = (of: (i: number) => number) =>
  function sum(lo: number, hi: number): number {
    let total = 0;
    for (let i = lo; i < hi; i++) total += of(i);
    return total;
  };
/** As a minifier leaves it. */
const makeSumShort = new Function(
  'return (e=>function(n,t){let r=0;for(;n<t;n++)r+=e(n);return r})',
)() as typeof makeSum;

const square = (i: number): number => i * i;

test.each([makeSum, makeSumShort])('each use of a maker is a function of its own with the same text', (make) => {
  const [one, other] = [recompile(make), recompile(make)];
  expect(new Set([make, one, other]).size).toBe(3);
  const sum = one(square);
  expect(sum(0, 5)).toBe(30);
  expect(sum(5, 5)).toBe(0);
  expect(sum.toString()).toBe(make(square).toString());
});

test('where compiling is forbidden, the maker itself is used', () => {
  vi.stubGlobal('Function', () => {
    throw new EvalError('forbidden');
  });
  try {
    expect(recompile(makeSum)).toBe(makeSum);
  } finally {
    vi.unstubAllGlobals();
  }
});
