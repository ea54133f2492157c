import { expect, test } from 'vitest';
import { shown } from '../../../src/algorithms/shown.js';

const circular: unknown[] = [1];
circular.push(circular);

test.each<[text: string, value: unknown]>([
  ['"a"', 'a'],
  ['"a \\"quoted\\"\\nline"', 'a "quoted"\nline'],
  [`"${'x'.repeat(40)}"`, 'x'.repeat(40)],
  [`"${'x'.repeat(40)}..."`, 'x'.repeat(41)],
  ['-0.5', -0.5],
  ['NaN', Number.NaN],
  ['5n', 5n],
  ['undefined', undefined],
  ['null', null],
  ['Symbol(s)', Symbol('s')],
  ['the function add', function add(): void {}],
  ['the function (anonymous)', (() => () => {})()],
  ['[]', []],
  ['[1, "b", 3n, null]', [1, 'b', 3n, null]],
  ['[7, 7, 7, 7, ...]', new Array(1e6).fill(7)],
  ['[1, an array]', circular],
  ['an object of class Map', new Map()],
  ['an object', Object.create(null)],
])('an error shows a value as %s', (text, value) => {
  expect(shown(value)).toBe(text);
});
