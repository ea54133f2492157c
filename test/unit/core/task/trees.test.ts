import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTree, NO_TREE, treeCopy } from '../../../../src/core/task/trees.js';

const shared = { a: 1 };
const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(undefined, null, -0, Number.NaN, 1n, 'text', true),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 3 }), tie('any'), { maxKeys: 4 }),
    fc.constant(1).map((at) => Object.assign(new Array(3), { [at]: at })),
  ),
})).any;

test('a copy of a tree is what the structured clone is, and shares no object with it', () => {
  fc.assert(
    fc.property(value, (original) => {
      const copy = treeCopy(original);
      expect(isTree(original)).toBe(copy !== NO_TREE);
      if (copy === NO_TREE) return;
      expect(copy).toStrictEqual(structuredClone(original));
      if (Object(original) === original) expect(copy).not.toBe(original);
    }),
  );
});

test.each<[string, unknown]>([
  ['an object that is in it twice', [shared, shared]],
  ['itself', cyclic],
  ['a symbol as a key', { [Symbol('x')]: 1 }],
  ['a property __proto__ with an object', JSON.parse('{"__proto__": {}}')],
])('%s needs more than a copy of a tree', (_, other) => {
  expect(treeCopy(other)).toBe(NO_TREE);
});

test.each<[string, unknown]>([
  ['a function', [() => 1]],
  ['a symbol', { a: Symbol('x') }],
  ['an instance', [new (class Point {})()]],
  ['a date', { at: new Date(0) }],
  ['a view', [new Uint8Array(1)]],
  ['properties of an array', Object.assign([1], { index: 1 })],
  ['more than 32 objects', Array.from({ length: 40 }, () => ({}))],
  ['itself', cyclic],
])('what has %s is no tree', (_, other) => {
  expect([isTree(other), treeCopy(other)]).toEqual([false, NO_TREE]);
});
