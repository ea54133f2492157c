import { describe, expect, it } from 'vitest';
import { numericOrderOf } from '../../../src/algorithms/numeric-order.js';

/** What `Function.prototype.toString` shows is the text that a function was made of. */
const made = (text: string): ((a: never, b: never) => unknown) => new Function(`return (${text});`)();

describe('numericOrderOf', () => {
  it.each([
    '(a, b) => a - b',
    '(x,y)=>x-y',
    '($a, _b) => { return $a - _b; }',
    'function (a, b) { return a - b }',
    'function up(p, q) {return p-q;}',
  ])('knows %s as ascending', (text) => expect(numericOrderOf(made(text))).toBe('ascending'));

  it.each(['(a, b) => b - a', 'function down(a, b) {\n  return b - a;\n}'])('knows %s as descending', (text) =>
    expect(numericOrderOf(made(text))).toBe('descending'),
  );

  it.each([
    '(a, b) => a - b - 0',
    '(a, b) => -(a - b)',
    '(a, b) => a + b',
    '(a, b) => a - a',
    '(a, b) => a - c',
    '(a, b, c) => a - b',
    '(a) => a - a',
    '(a, b = 1) => a - b',
    '(a, b) => { a++; return a - b; }',
    'async (a, b) => a - b',
    'function* (a, b) { return a - b }',
    '({ a }, b) => a - b',
  ])('has %s called', (text) => expect(numericOrderOf(made(text))).toBeUndefined());
});
