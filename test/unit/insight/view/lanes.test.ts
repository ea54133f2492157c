import { expect, test } from 'vitest';
import { drawLane, lanesOf } from '../../../../src/insight/view/lanes.js';
import { nameOfSlice, nestingOf } from '../../../../src/insight/view/nesting.js';
import { drawnTimeline, longTimeline } from '../../../helpers/drawn-timelines.js';

interface Run {
  readonly left: number;
  readonly right: number;
  readonly slices: number;
  readonly share: number;
}

const nesting = nestingOf(longTimeline(40_000));
const lanes = lanesOf(nesting);

function runsOf(lane: number, from: number, to: number, pixels: number): Run[] {
  const runs: Run[] = [];
  drawLane(nesting, lanes[lane], { from, to, pixels }, (left, right, at, next, share) =>
    runs.push({ left, right, slices: next - at, share }),
  );
  return runs;
}

test('a lane has the slices of one depth of a thread', () => {
  expect(lanes.map(({ thread, depth }) => [thread, depth])).toEqual(
    [0, 1, 2, 3].flatMap((thread) => [
      [thread, 0],
      [thread, 1],
    ]),
  );
  expect(lanes.reduce((sum, { slice }) => sum + slice.length, 0)).toBe(nesting.length);
});

test.each([
  [0, 1],
  [0.3, 0.301],
  [0.9, 1],
])('all slices from %d to %d of the time are drawn, in at most two runs for each pixel', (first, last) => {
  const length = nesting.to - nesting.from;
  const [from, to] = [nesting.from + first * length, nesting.from + last * length];
  const inSight = [...lanes[1].slice].filter((slice) => nesting.end[slice] > from && nesting.start[slice] < to);
  const runs = runsOf(1, from, to, 500);
  expect(runs.length).toBeLessThanOrEqual(1001);
  expect(runs.reduce((sum, { slices }) => sum + slices, 0)).toBeGreaterThanOrEqual(inSight.length);
  expect(runs.reduce((sum, { slices }) => sum + slices, 0)).toBeLessThanOrEqual(inSight.length + 40); // some begin beyond the last pixel
  for (const [k, { left, right }] of runs.entries()) {
    expect(right).toBeGreaterThan(left);
    if (k > 0) expect(left).toBeGreaterThanOrEqual(runs[k - 1].left);
  }
  const drawn = runs.reduce((sum, { left, right, share }) => sum + (right - left) * share, 0);
  const covered = inSight.reduce((sum, slice) => sum + nesting.end[slice] - nesting.start[slice], 0);
  expect(Math.abs(drawn / 500 - covered / (to - from))).toBeLessThan(0.1); // what reaches into the next pixel is cut off there
});

test('a wide slice behind narrow ones of its pixel is drawn by itself', () => {
  const few = nestingOf(
    drawnTimeline(
      ['worker'],
      [
        [0, 'root', 'a', 10, 11],
        [0, 'root', 'b', 12, 13],
        [0, 'root', 'wide', 14, 500],
      ],
    ),
  );
  const shown: (readonly [string, number, number])[] = [];
  const [lane] = lanesOf(few);
  drawLane(few, lane, { from: 0, to: 1000, pixels: 20 }, (left, right, at, next) =>
    shown.push([nameOfSlice(few, lane.slice[at]), next - at, right - left]),
  );
  expect(shown).toEqual([
    ['a', 2, 1],
    ['wide', 1, expect.closeTo(9.72)],
  ]);
});
