import { expect, test } from 'vitest';
import { endOf, shapeFor, startOf } from '../../../../src/algorithms/containers/key-table.js';

test.each([1, 100, 2 ** 20, 2 ** 25, 2 ** 25 + 1, 2 ** 26 + 1, 2 ** 27, 2 ** 28])(
  'a table for %i keys has generations one behind the other, and the last has room for all',
  (maxSize) => {
    const shape = shapeFor(maxSize);
    for (let g = 0; g < shape.last; g++) expect(startOf(shape, g + 1)).toBe(endOf(shape, g));
    expect(endOf(shape, shape.last) - startOf(shape, shape.last)).toBeGreaterThanOrEqual(2 * maxSize);
    expect(endOf(shape, shape.last)).toBeLessThan(2 ** 31);
  },
);
