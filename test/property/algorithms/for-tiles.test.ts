/** Tiles in the simulated core: they cover the grid once, have the size that was asked for, and the first failing one is reported. */
import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { parallelForTiles, parallelForTilesSync } from '../../../src/algorithms/loops/for-tiles.js';
import { sharedArray } from '../../../src/core/memory/shared-array.js';
import { difference } from '../../helpers/array-values.js';
import { anySchedule } from '../../helpers/schedules.js';
import { reset, simulation } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

const side = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 90 }));
const low = fc.constantFrom(0, 1, -30, 2 ** 31 - 20, Number.MIN_SAFE_INTEGER);
const tile = fc.option(
  fc.oneof(
    fc.integer({ min: 1, max: 40 }),
    fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 100 })),
  ),
  { nil: undefined },
);
const grid = fc.record({ rows: side, cols: side, top: low, left: low });

interface Seen {
  readonly counts: Uint8Array;
  readonly bad: Int32Array;
  readonly top: number;
  readonly left: number;
  readonly cols: number;
  readonly most: readonly [rows: number, cols: number];
}

const visit = (top: number, bottom: number, left: number, right: number, seen: Seen): void => {
  const [mostRows, mostCols] = seen.most;
  if (top >= bottom || left >= right || bottom - top > mostRows || right - left > mostCols) seen.bad[0]++;
  for (let row = top; row < bottom; row++)
    for (let col = left; col < right; col++) seen.counts[(row - seen.top) * seen.cols + col - seen.left]++;
};

test('tiles cover every cell once, are never empty, and are no larger than was asked for', async () => {
  await fc.assert(
    fc.asyncProperty(grid, tile, anySchedule, async ({ rows, cols, top, left }, tile, { threshold, ...changes }) => {
      reset(changes);
      const counts = sharedArray(Uint8Array, rows * cols);
      const bad = sharedArray(Int32Array, 1);
      const most = typeof tile === 'number' ? ([tile, tile] as const) : (tile ?? ([rows, cols] as const));
      const options = { context: { counts, bad, top, left, cols, most }, tile, threshold };
      await parallelForTiles([top, top + rows], [left, left + cols], visit, options);
      expect(difference(counts, new Array(rows * cols).fill(1))).toBeUndefined();
      parallelForTilesSync([top, top + rows], [left, left + cols], visit, options);
      expect(difference(counts, new Array(rows * cols).fill(2))).toBeUndefined();
      expect(bad[0]).toBe(0);
    }),
  );
});

test('a tile that Furcate chooses has at most `threshold` cells, and is about square where the grid allows it', async () => {
  await fc.assert(
    fc.asyncProperty(side, side, fc.integer({ min: 1, max: 500 }), async (rows, cols, threshold) => {
      const largest = sharedArray(Int32Array, 3);
      const note = (top: number, bottom: number, left: number, right: number, { largest }: { largest: Int32Array }) => {
        const [high, wide] = [bottom - top, right - left];
        if (high * wide > largest[0]) largest.set([high * wide, high, wide]);
      };
      await parallelForTiles(rows, cols, note, { threshold, context: { largest } });
      const [cells, high, wide] = largest as unknown as [number, number, number];
      expect(cells).toBeLessThanOrEqual(threshold);
      if (rows * cols === 0) return;
      expect(2 * cells).toBeGreaterThan(Math.min(threshold, rows * cols) / 2);
      const free = Math.sqrt(threshold);
      if (rows >= free + 1 && cols >= free + 1) expect(Math.abs(high - wide)).toBeLessThanOrEqual(free / 2 + 3);
    }),
  );
});

test('there are tiles for every thread, also where nobody knows what a cell costs', () => {
  const calls = sharedArray(Int32Array, 1);
  const context = { calls };
  const count = (_t: number, _b: number, _l: number, _r: number, { calls }: { calls: Int32Array }): void =>
    void calls[0]++;
  parallelForTilesSync(100, 100, count, { context });
  expect(calls[0]).toBeGreaterThanOrEqual(64 * simulation.parallelism);
});

test('the error of the first failing tile surfaces, with all tiles before it done', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
      anySchedule,
      async (rows, cols, places, { threshold, ...changes }) => {
        reset(changes);
        const failing = sharedArray(Uint8Array, rows * cols);
        const done = sharedArray(Uint8Array, rows * cols);
        for (const at of places) failing[at % (rows * cols)] = 1;
        const body = (
          top: number,
          _bottom: number,
          left: number,
          _right: number,
          { failing, done, cols }: { failing: Uint8Array; done: Uint8Array; cols: number },
        ): void => {
          if (failing[top * cols + left] === 1) throw new RangeError(String(top * cols + left));
          done[top * cols + left]++;
        };
        const run = parallelForTiles(rows, cols, body, { tile: 1, context: { failing, done, cols }, threshold });
        const first = failing.indexOf(1);
        await expect(run).rejects.toThrow(new RangeError(String(first)));
        expect(done.subarray(0, first).every((count) => count === 1)).toBe(true);
      },
    ),
  );
});

test('progress counts cells, to the end', async () => {
  await fc.assert(
    fc.asyncProperty(side, side, tile, anySchedule, async (rows, cols, tile, { threshold, ...changes }) => {
      reset(changes);
      const seen: number[] = [];
      const onProgress = (done: number, total: number): void => void seen.push(done, total);
      await parallelForTiles(rows, cols, () => {}, { tile, threshold, onProgress });
      expect(seen.slice(-2)).toEqual([rows * cols, rows * cols]);
    }),
  );
});
