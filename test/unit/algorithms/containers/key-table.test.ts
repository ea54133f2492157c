import { expect, test } from 'vitest';
import { endOf, shapeFor, startOf } from '../../../../src/algorithms/containers/key-table.js';
import { newTable } from '../../../../src/algorithms/containers/number-tables.js';

test.each([1, 100, 2 ** 20, 2 ** 25, 2 ** 25 + 1, 2 ** 26 + 1, 2 ** 27, 2 ** 28])(
  'a table for %i keys has generations one behind the other, and the last has room for all',
  (maxSize) => {
    const shape = shapeFor(maxSize);
    for (let g = 0; g < shape.last; g++) expect(startOf(shape, g + 1)).toBe(endOf(shape, g));
    expect(endOf(shape, shape.last) - startOf(shape, shape.last)).toBeGreaterThanOrEqual(2 * maxSize);
    expect(endOf(shape, shape.last)).toBeLessThan(2 ** 31);
  },
);

/** The integer that has a hash. */
function integerWith(hash: number): number {
  const word = Math.imul(hash, 0x0e8b2f51); // times 0x9e3779b1 it is 1, modulo 2^32
  return (word ^ (word >>> 16)) >>> 0;
}

test.each([1, 300, 100_000])(
  'a table for %i keys or more has room for as many whose cells are all at its end, and gives them in the order of their hashes',
  (maxSize) => {
    const table = newTable('u32', maxSize);
    const count = Math.min(maxSize, 2_000);
    const hashes = Array.from({ length: count }, (_, k) => 2 ** 32 - 1 - k);
    const keys = [...hashes.map(integerWith), ...[0, 1, 2 ** 31].slice(0, maxSize - count).map(integerWith)];
    for (const key of keys) expect(table.insert(key)).toBeGreaterThanOrEqual(0);
    for (const key of keys) expect([table.insert(key) < 0, table.find(key) >= 0]).toEqual([true, true]);
    expect(table.find(integerWith(2 ** 32 - 1 - count))).toBe(-1);
    expect(table.size).toBe(keys.length);
    const others = keys.slice(count);
    const inOrder = [...table.inOrder()].map((cell) => table.keyAt(cell));
    expect(inOrder).toEqual([...others, ...keys.slice(0, count).reverse()]);
  },
);
