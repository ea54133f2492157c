import { describe, expect, test } from 'vitest';
import { free, sharedArray } from '../../../../src/core/memory/shared-array.js';

describe('sharedArray with uninitialized', () => {
  test('leaves the elements as they are where they may be anything', () => {
    const used = (): void => {
      const xs = sharedArray(Uint8Array, 5_000);
      xs.fill(7);
      free(xs);
    };
    used();
    const zeroed = sharedArray(Uint8Array, 5_000);
    expect(zeroed.every((x) => x === 0)).toBe(true);
    free(zeroed);
    used();
    const xs = sharedArray(Uint8Array, 5_000, { uninitialized: true }); // in the place of the array before
    expect(xs.filter((x) => x === 7).length).toBeGreaterThan(4_000);
    expect([...sharedArray(Uint8Array, [1, 2], { uninitialized: true })]).toEqual([1, 2]);
    expect(() => sharedArray(Uint8Array, 3, { uninitialised: true } as never)).toThrow(
      "furcate: sharedArray has no option 'uninitialised'. It has: uninitialized.",
    );
    expect(() => sharedArray(Uint8Array, 3, { uninitialized: 1 } as never)).toThrow(
      'furcate: sharedArray: options.uninitialized must be a boolean; it was 1.',
    );
    expect(() => sharedArray(Uint8Array, 3, null as never)).toThrow(/the options of sharedArray must be an object/);
  });
});
