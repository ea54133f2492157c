// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are programs
import { expect, test } from 'vitest';
import { renamed } from '../../../scripts/rename.js';

const names = new Map([
  ['load', 'load2'],
  ['_Pool', 'Pool'],
]);

test.each([
  ['load(words, 0)', 'load2(words, 0)'],
  ['x.load + x?.load + x["load"]', 'x.load + x?.load + x["load"]'],
  ['throw Error("load it"); // load it', 'throw Error("load it"); // load it'],
  ['`load ${load} load`', '`load ${load2} load`'],
  ['f({ load, store: load, load: 1 })', 'f({ load:load2, store: load2, load: 1 })'],
  ['const { load, a: { load: b }, c = load } = x', 'const { load:load2, a: { load: b }, c = load2 } = x'],
  ['const [load] = x', 'const [load2] = x'],
  [
    'class A { load() { return load; } get _Pool() { return _Pool; } }',
    'class A { load() { return load2; } get _Pool() { return Pool; } }',
  ],
  ['var Pool=class _Pool{make(){return new _Pool}}', 'var Pool=class Pool{make(){return new Pool}}'],
  ['f({ load() { load(); } }, /load/)', 'f({ load() { load2(); } }, /load/)'],
])('of %s only variables are renamed', (code, expected) => {
  expect(renamed(code, names)).toBe(expected);
});
