import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  parallelFor,
  parallelForRange,
  parallelForRangeSync,
  parallelForSync,
} from '../../../src/algorithms/loops/for-loops.js';
import { sharedArray } from '../../../src/core/memory/shared-array.js';
import { difference } from '../../helpers/array-values.js';
import { anySchedule as schedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

/** Ranges everywhere that numbers reach: within int32, across its ends, far beyond. */
const range = fc
  .tuple(
    fc.constantFrom(0, -20, 2 ** 31 - 30, -(2 ** 31) - 20, 2 ** 32, 2 ** 52, Number.MIN_SAFE_INTEGER),
    fc.integer({ min: 0, max: 2000 }),
  )
  .map(([lo, length]) => [lo, lo + length] as const);

describe('parallelFor', () => {
  test('calls the body once for every index of the range', async () => {
    await fc.assert(
      fc.asyncProperty(range, schedule, async ([lo, hi], { threshold, ...changes }) => {
        reset(changes);
        const calls = sharedArray(Uint8Array, hi - lo + 2);
        const context = { calls, lo };
        const body = (i: number, { calls, lo }: { calls: Uint8Array; lo: number }): void => {
          calls[i - lo + 1]++;
        };
        await parallelFor([lo, hi], body, { context, threshold });
        expect(difference(calls, [0, ...new Array(hi - lo).fill(1), 0])).toBeUndefined();
        parallelForSync([lo, hi], body, { context, threshold });
        expect(difference(calls, [0, ...new Array(hi - lo).fill(2), 0])).toBeUndefined();
      }),
    );
  });

  test('surfaces the error of the lowest failing index, with all lower ones done', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 2000 }),
        fc.array(fc.nat(), { minLength: 1, maxLength: 5 }),
        schedule,
        async (n, places, { threshold, ...changes }) => {
          reset(changes);
          const failing = sharedArray(Uint8Array, n);
          const done = sharedArray(Uint8Array, n);
          for (const at of places) failing[at % n] = 1;
          const looped = parallelFor(
            n,
            (i, { failing, done }) => {
              if (failing[i] === 1) throw new RangeError(String(i));
              done[i]++;
            },
            { context: { failing, done }, threshold },
          );
          const lowest = failing.indexOf(1);
          await expect(looped).rejects.toThrow(new RangeError(String(lowest)));
          expect(done.subarray(0, lowest).every((count) => count === 1)).toBe(true);
          expect(done.some((count) => count > 1)).toBe(false);
        },
      ),
    );
  });

  test('reports progress that only grows, to (n, n)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 3000 }), schedule, async (n, { threshold, ...changes }) => {
        reset(changes);
        const seen: number[] = [];
        const onProgress = (done: number, total: number): void => {
          expect(total).toBe(n);
          seen.push(done);
        };
        await parallelFor(n, () => {}, { threshold, onProgress });
        expect(seen.at(-1)).toBe(n);
        expect(
          difference(
            seen,
            seen.slice().sort((a, b) => a - b),
          ),
        ).toBeUndefined();
      }),
    );
  });
});

describe('parallelForRange', () => {
  test('calls the body for parts that cover the range, none empty, none larger than the threshold', async () => {
    await fc.assert(
      fc.asyncProperty(range, schedule, async ([lo, hi], { threshold, ...changes }) => {
        reset(changes);
        const calls = sharedArray(Uint8Array, hi - lo + 2);
        const context = { calls, base: lo, most: threshold ?? Number.POSITIVE_INFINITY };
        const body = (from: number, to: number, { calls, base, most }: typeof context): void => {
          if (to <= from || to - from > most) throw new RangeError(`${from} to ${to}`);
          for (let i = from; i < to; i++) calls[i - base + 1]++;
        };
        await parallelForRange([lo, hi], body, { context, threshold });
        expect(difference(calls, [0, ...new Array(hi - lo).fill(1), 0])).toBeUndefined();
        parallelForRangeSync([lo, hi], body, { context, threshold });
        expect(difference(calls, [0, ...new Array(hi - lo).fill(2), 0])).toBeUndefined();
      }),
    );
  });

  test('steals and splits in these tests', () => {
    parallelForRangeSync(3000, () => {}, { threshold: 1 });
    expect(simulation.jobs).toBe(1);
    expect(simulation.steals).toBeGreaterThan(5);
  });
});
