import { expect, test, vi } from 'vitest';
import { keptNamesShim } from '../../../../src/core/code/kept-names.js';

const plain = Function.prototype.toString;

/** As if a minifier had given the helper a name in the file of the library. */
function inMinifiedBundle<T>(use: () => T): T {
  const shown = vi.spyOn(Function.prototype, 'toString').mockImplementation(function (this: unknown) {
    const text = plain.call(this);
    return text.includes('probed') ? '()=>n(()=>0,"probed")' : text;
  });
  try {
    return use();
  } finally {
    shown.mockRestore();
  }
}

/** A part that keeps names by `$`, as it is in another file of the bundle. */
const PART = `function part(above){const r=String((1,2)),f=$((a)=>a+r.length,"f"),o=[$(function(x){return x},"o")];
  function g(b){return check(b,"b")}$(g,"g");function check(x,what){if((x,1))return x}$(check,"check");return {f,g,o}}`;

test('code that keeps no names has a stand-in for the plain helper', () => {
  expect(keptNamesShim(PART)).toBe('const __name = (fn) => fn;');
});

test('a part of another file finds a stand-in under its own name for the helper', () => {
  const shim = inMinifiedBundle(() => keptNamesShim(PART));
  const { f, g, o } = new Function(`${shim} return (${PART})()`)();
  expect([f(1), g(2), o[0](3), f.name]).toEqual([2, 2, 3, '']);
  expect(shim).not.toMatch(/\b(String|if|function) =/);
});
