/** Texts of functions on a page: they mean what they mean in its workers. */
import { expect, test } from 'vitest';
import { unknownName } from '../../../../src/core/code/engine-messages.js';
import { withoutPage } from '../../../../src/core/platform/page-names.js';

const made = (text: string): (() => unknown) => new Function(withoutPage(text))() as () => unknown;

test.each([
  ['() => document.title', 'document'],
  ['() => new HTMLCanvasElement()', 'HTMLCanvasElement'],
  ['function () { return window.x ?? localStorage; }', 'window'],
])('%s fails at its first name of a page', (text, name) => {
  let error: unknown;
  try {
    made(text)();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(ReferenceError);
  expect(unknownName((error as Error).message)).toBe(name);
});

test('it may ask whether there is a page, and there is none', () => {
  expect(made("() => (typeof document === 'undefined' ? 'a worker' : document.title)")()).toBe('a worker');
});

test('properties, parameters and variables of such names are its own, and it is strict', () => {
  expect(made('(() => { const top = 1; const box = { top, history: [2] }; return box.top + box.history[0]; })')()).toBe(
    3,
  );
  expect((made('(document, parent) => document + parent') as (a: number, b: number) => number)(1, 2)).toBe(3);
  expect(made('function () { return this; }')()).toBe(undefined);
});

test('other errors of the same kind are not taken for it', () => {
  expect(unknownName("Cannot access 'mine' before initialization")).toBe(undefined);
});
