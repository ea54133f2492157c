import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BASE_UNITS, W_TOP } from '../../../../src/core/memory/heap-layout.js';
import { SharedHeap } from '../../../../src/core/memory/shared-heap.js';
import { expectSound } from '../../../helpers/heap-invariants.js';

const SMALL = { maximumPages: [64], fixedBytes: [] };
const FIXED = { maximumPages: [], fixedBytes: [4 * 1024 * 1024] };

const sizes = fc.oneof(fc.nat(80), fc.nat(2_000), fc.nat(60_000), fc.constantFrom(0, 1, 16, 1024, 65_536));
const operations = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('alloc' as const), bytes: sizes, tag: fc.nat(2) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('free' as const), pick: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('freeTagged' as const), tag: fc.nat(2) }) },
  ),
  { maxLength: 120 },
);

interface Model {
  readonly bytes: number;
  readonly tag: number;
  readonly mark: number;
}

function expectContents(heap: SharedHeap, blocks: Map<number, Model>): void {
  for (const [offset, { bytes, mark }] of blocks) {
    expect(offset % 16).toBe(0);
    expect(heap.bytesAt(offset, bytes).every((byte) => byte === mark)).toBe(true);
  }
  const sorted = [...blocks].sort(([a], [b]) => a - b);
  sorted.forEach(([offset, { bytes }], i) => {
    const next = sorted[i + 1];
    if (next !== undefined) expect(offset + bytes).toBeLessThanOrEqual(next[0]);
  });
}

describe.each([
  ['a memory that grows', SMALL],
  ['a fixed buffer', FIXED],
])('the heap over %s', (_, heapSizes) => {
  test('keeps blocks apart and their bytes, and is empty again when all are freed', () => {
    fc.assert(
      fc.property(operations, (steps) => {
        const heap = SharedHeap.create(heapSizes);
        const other = SharedHeap.adopt(heap.handle());
        const blocks = new Map<number, Model>();
        steps.forEach((step, i) => {
          const realm = i % 2 === 0 ? heap : other; // two realms take turns: one sees what the other grew
          if (step.kind === 'alloc') {
            const mark = 1 + (i % 255);
            const offset = realm.allocBytes(step.bytes, step.tag);
            realm.bytesAt(offset, step.bytes).fill(mark);
            expect(blocks.has(offset)).toBe(false);
            blocks.set(offset, { bytes: step.bytes, tag: step.tag, mark });
          } else if (step.kind === 'free' && blocks.size > 0) {
            const offset = [...blocks.keys()][step.pick % blocks.size] as number;
            realm.freeBytes(offset);
            blocks.delete(offset);
          } else if (step.kind === 'freeTagged') {
            const doomed = [...blocks].filter(([, { tag }]) => tag === step.tag);
            expect(realm.freeTagged(step.tag)).toBe(doomed.length);
            for (const [offset] of doomed) blocks.delete(offset);
          }
        });
        expectContents(other, blocks);
        expect(expectSound(heap).used.length).toBe(blocks.size);
        for (const offset of blocks.keys()) heap.freeBytes(offset);
        expect(heap.stats()).toMatchObject({ bytesInUse: 0, blocks: 0 });
        expect(heap.root[W_TOP]).toBe(BASE_UNITS);
        expectSound(heap);
      }),
      { numRuns: 150 },
    );
  });

  test('refuses a second free of any block, whatever was merged around it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(300), { minLength: 1, maxLength: 12 }),
        fc.infiniteStream(fc.nat()),
        (lengths, order) => {
          const heap = SharedHeap.create(heapSizes);
          const guard = heap.allocBytes(16, 0);
          const offsets = lengths.map((bytes) => heap.allocBytes(bytes, 0));
          const freed: number[] = [];
          while (offsets.length > 0) {
            const [offset] = offsets.splice((order.next().value as number) % offsets.length, 1) as [number];
            heap.freeBytes(offset);
            freed.push(offset);
            for (const gone of freed) expect(() => heap.freeBytes(gone)).toThrow(RangeError);
          }
          heap.freeBytes(guard);
          expectSound(heap);
        },
      ),
      { numRuns: 100 },
    );
  });
});
