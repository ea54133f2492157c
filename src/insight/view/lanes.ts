/**
 * Slices of a thread by depth, for drawing: what is narrower than a pixel is drawn together with its neighbours. So a picture takes time in proportion to its width, and
 * hardly to the number of events. In the page that the command writes.
 */
import type { Nesting } from './nesting.js';

/** Slices of one thread and depth: they do not overlap, and are in the order of time. */
export interface Lane {
  readonly thread: number;
  readonly depth: number;
  readonly slice: Uint32Array;
  /** Total length of the slices before each (microseconds). */
  readonly coveredUs: Float64Array;
}

/** Deeper slices are not drawn. */
export const MOST_DEPTH = 16;

export function lanesOf({ start, end, depth, firstOf, table }: Nesting): Lane[] {
  return table.threads.flatMap((_, thread) => {
    const counts = new Uint32Array(MOST_DEPTH);
    for (let slice = firstOf[thread]; slice < firstOf[thread + 1]; slice++)
      if (depth[slice] < MOST_DEPTH) counts[depth[slice]]++;
    const lanes = Array.from(counts.subarray(0, counts.findLastIndex((count) => count > 0) + 1), (count, level) => ({
      thread,
      depth: level,
      slice: new Uint32Array(count),
      coveredUs: new Float64Array(count + 1),
    }));
    const next = new Uint32Array(MOST_DEPTH);
    for (let slice = firstOf[thread]; slice < firstOf[thread + 1]; slice++) {
      const lane = lanes[depth[slice]];
      if (lane === undefined) continue;
      const at = next[depth[slice]]++;
      lane.slice[at] = slice;
      lane.coveredUs[at + 1] = lane.coveredUs[at] + end[slice] - start[slice];
    }
    return lanes;
  });
}

/** The first place in a lane, from one on, whose slice fits; all after it fit, too. */
function firstPlace(lane: Lane, from: number, fits: (slice: number) => boolean): number {
  let step = 1;
  let low = from;
  while (low + step < lane.slice.length && !fits(lane.slice[low + step])) {
    low += step;
    step *= 2; // neighbours are near
  }
  let high = Math.min(lane.slice.length, low + step);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fits(lane.slice[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Draws places [at, next) of a lane from `left` to `right` (pixels), of which they cover a share. */
export type DrawRun = (left: number, right: number, at: number, next: number, share: number) => void;

/** Visible part of a lane, as runs that are a pixel wide or wider. @param from, to microseconds */
export function drawLane(
  { start, end }: Nesting,
  lane: Lane,
  { from, to, pixels }: { readonly from: number; readonly to: number; readonly pixels: number },
  draw: DrawRun,
): void {
  const perPixel = (to - from) / pixels;
  const x = (us: number): number => (us - from) / perPixel;
  let at = firstPlace(lane, 0, (slice) => end[slice] > from);
  while (at < lane.slice.length && start[lane.slice[at]] < to) {
    const slice = lane.slice[at];
    const [left, right] = [x(start[slice]), x(end[slice])];
    if (right - left >= 1) {
      draw(left, right, at, at + 1, 1);
      at++;
      continue;
    }
    const column = Math.floor(left);
    const edge = from + (column + 1) * perPixel;
    let next = firstPlace(lane, at, (other) => start[other] >= edge);
    if (next - 1 > at && x(end[lane.slice[next - 1]]) >= column + 2) next--; // it is wide enough for itself
    next = Math.max(next, at + 1);
    draw(column, column + 1, at, next, Math.min(1, (lane.coveredUs[next] - lane.coveredUs[at]) / perPixel));
    at = next;
  }
}
