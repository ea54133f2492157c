/** `into` and the inputs as views of one memory through different buffer objects: refused where they overlap, else as ever. */
import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { parallelMapSync } from '../../../src/algorithms/loops/elements.js';
import { parallelScan, parallelScanSync } from '../../../src/algorithms/scan/scan.js';
import { parallelMerge, parallelMergeSync } from '../../../src/algorithms/sort/merge.js';
import { sharedArray, type TypedArray } from '../../../src/core/memory/shared-array.js';
import { difference } from '../../helpers/array-values.js';
import { follow, schedule } from '../../helpers/schedules.js';
import { reset } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

/** Bytes of a memory of each kind. */
const SIZE_BYTES = 2400;
const KINDS = {
  'a shared array': () => sharedArray(Uint8Array, SIZE_BYTES),
  'a SharedArrayBuffer': () => new Uint8Array(new SharedArrayBuffer(SIZE_BYTES)),
} as const;

/** The same elements, through a buffer object of its own: what `postMessage` gives. */
const reached = <T extends TypedArray>(xs: T, cloned: boolean): T => (cloned ? structuredClone(xs) : xs);

/** Two windows of one memory, in int32. */
const windows = fc.record({
  length: fc.integer({ min: 1, max: 200 }),
  from: fc.integer({ min: 0, max: 200 }),
  to: fc.integer({ min: 0, max: 200 }),
  cloned: fc.tuple(fc.boolean(), fc.boolean()),
  given: schedule,
});

const partOf = (bytes: Uint8Array, at: number, length: number): Int32Array =>
  new Int32Array(bytes.buffer, bytes.byteOffset + 4 * at, length);

describe.each(Object.entries(KINDS))('of %s', (_, make) => {
  test('results go in place, apart, or nowhere if they would overwrite elements still to be read', async () => {
    await fc.assert(
      fc.asyncProperty(windows, async ({ length, from, to, cloned, given }) => {
        const bytes = make();
        const whole = partOf(bytes, 0, SIZE_BYTES / 4);
        for (let i = 0; i < whole.length; i++) whole[i] = i * i;
        const before = Array.from(whole);
        const xs = reached(partOf(bytes, from, length), cloned[0]);
        const into = reached(partOf(bytes, to, length), cloned[1]);
        const calls = [
          () => parallelScan(xs, 'sum', { ...follow(given), into }),
          async () => parallelScanSync(xs, (a, b) => a + b, 0, { ...follow(given), into }),
          async () => parallelMapSync(xs, (x, i) => x + i, { ...follow(given), into }),
        ];
        for (const [k, call] of calls.entries()) {
          if (from !== to && Math.abs(from - to) < length) {
            await expect(call()).rejects.toThrow(/options\.into overlaps xs/);
            expect(difference(whole, before)).toBeUndefined();
            continue;
          }
          const expected = before.slice();
          let sum = 0;
          for (let i = 0; i < length; i++) {
            const x = before[from + i] as number;
            sum += x;
            expected[to + i] = k < 2 ? sum : x + i;
          }
          await call();
          expect(difference(whole, Int32Array.from(expected))).toBeUndefined();
          whole.set(before);
        }
      }),
    );
  });

  test('a merge refuses to write over either input', async () => {
    await fc.assert(
      fc.asyncProperty(windows, fc.boolean(), async ({ length, from, to, cloned, given }, second) => {
        const bytes = make();
        const whole = partOf(bytes, 0, SIZE_BYTES / 4);
        for (let i = 0; i < whole.length; i++) whole[i] = i;
        const input = reached(partOf(bytes, from, length), cloned[0]);
        const into = reached(partOf(bytes, to, length + 1), cloned[1]);
        const other = sharedArray(Int32Array, [-1]);
        const [a, b] = second ? [other, input] : [input, other];
        const expected = Int32Array.of(-1, ...input);
        if (from < to + length + 1 && to < from + length) {
          await expect(parallelMerge(a, b, { ...follow(given), into })).rejects.toThrow(/into overlaps a or b/);
          expect(difference(whole, Array.from(whole.keys()))).toBeUndefined();
        } else {
          parallelMergeSync(a, b, { ...follow(given), into });
          expect(difference(into, expected)).toBeUndefined();
        }
      }),
    );
  });
});
