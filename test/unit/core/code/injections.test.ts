import { expect, test } from 'vitest';
import { namesFunctions } from '../../../../src/core/code/injections.js';
import { keptNamesHelper } from '../../../../src/core/code/kept-names.js';
import { tokensOf } from '../../../../src/core/code/tokens.js';

const keeps = (text: string): boolean => namesFunctions('__name', tokensOf(text));

test('the helper of code that keeps no names is called __name', () => {
  expect(keptNamesHelper()).toBe('__name');
});

test.each([
  '(x) => { const f = __name((a, b) => a + b, "f"); return f(x, x); }',
  "(x) => { function f() {} __name(f, 'f'); return f(x); }",
  '(x) => { class A { static { __name(this, `A`); } } return new A(); }',
  '(x) => x.__name + { __name: 1 }.__name + __name((a) => (a, a), "f")(x)',
])('a name whose every use names a function is the helper: %s', (text) => {
  expect(keeps(text)).toBe(true);
});

test.each([
  '(x) => __name(x)',
  '(x) => __name(x, 1)',
  '(x) => __name(x + "f")',
  '(x) => __name',
  '(x) => [__name((a) => a, "f"), __name]',
])('a variable of the same name is not: %s', (text) => {
  expect(keeps(text)).toBe(false);
});
