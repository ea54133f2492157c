/** Ballast: what presses on the collector, and costs nothing else. */
import { afterEach, expect, test, vi } from 'vitest';
import { addBallast, dropBallast } from '../../../../src/core/memory/ballast.js';

const MIB = 1 << 20;
const pieces: (ArrayBuffer & { readonly resizable?: boolean })[] = [];

/** Keeps the buffers that are made meanwhile. */
function watchBuffers(): void {
  vi.stubGlobal(
    'ArrayBuffer',
    class extends ArrayBuffer {
      constructor(...args: ConstructorParameters<typeof ArrayBuffer>) {
        super(...args);
        pieces.push(this);
      }
    },
  );
}

afterEach(() => {
  vi.unstubAllGlobals();
  pieces.length = 0;
});

test.each([1, 16, 32, 64])('a piece of %i MiB is mapped memory, which no allocator clears', (mib) => {
  watchBuffers();
  addBallast({}, mib * MIB);
  expect(pieces.map(({ byteLength, resizable }) => [byteLength, resizable])).toEqual([[mib * MIB, true]]);
});

test('small arrays share a piece, and what is freed by hand serves the next array of its size', () => {
  watchBuffers();
  for (let i = 0; i < 3; i++) addBallast({}, MIB / 4);
  expect(pieces).toEqual([]);
  const last = {};
  addBallast(last, MIB / 4);
  expect(pieces.map(({ byteLength }) => byteLength)).toEqual([MIB]);
  dropBallast(last);
  addBallast({}, MIB);
  expect(pieces).toHaveLength(1);
});
