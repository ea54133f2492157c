/** The ring of a thread's latest events: what a reader gets of it, whatever the writer does meanwhile. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COUNTERS } from '../../../../src/core/observe/counters.js';
import { EventRing } from '../../../../src/core/observe/event-ring.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';

registerHost(detectNode);

const ringOf = (capacity: number, head = 0): EventRing => {
  const words = new Int32Array(new SharedArrayBuffer(4 * EventRing.wordsFor(capacity)));
  words[0] = head;
  return new EventRing(words);
};

test('gives the latest events in order, whatever its size and wherever its head begins', () => {
  const sizes = fc.record({ log2: fc.integer({ min: 0, max: 4 }), count: fc.nat(40) });
  fc.assert(
    fc.property(sizes, fc.constantFrom(0, 7, -3, 2 ** 31 - 5), fc.nat(40), ({ log2, count }, head, seen) => {
      const ring = ringOf(2 ** log2, head);
      for (let k = 0; k < count; k++) ring.put(COUNTERS[k % COUNTERS.length] as 'roots', k, -k, 2 * k);
      const from = Math.min(seen, count);
      const kept = Math.min(count - from, 2 ** log2 - 1);
      const expected = Array.from({ length: kept }, (_, i) => count - kept + i).map((k) => ({
        event: COUNTERS[k % COUNTERS.length],
        amount: k,
        about: 0 - k,
        forks: 2 * k,
        us: expect.any(Number),
      }));
      expect(ring.since(head + from)).toEqual(expected);
      expect(ring.head).toBe((head + count) >>> 0);
    }),
  );
});

test('drops what is overwritten while it is read', () => {
  const ring = ringOf(8);
  for (let k = 0; k < 7; k++) ring.put('roots', k, 0, 0);
  const read = Int32Array.prototype.subarray;
  let reads = 0;
  Int32Array.prototype.subarray = function (...range) {
    if (reads++ === 2) for (let k = 7; k < 11; k++) ring.put('roots', k, 0, 0);
    return read.apply(this, range);
  };
  try {
    expect(ring.since(0).map(({ amount }) => amount)).toEqual([4, 5, 6]);
  } finally {
    Int32Array.prototype.subarray = read;
  }
});

test('takes no size that is no power of two', () => {
  expect(() => EventRing.wordsFor(12)).toThrow(/2\^k events, not 12/);
});
