/** Computes the patches of each step from the step before, and refines the mesh from time to time. */
import { durationOf, exact, type Front, VISCOSITY } from './config.js';
import { CELLS, cell, refine, STRIDE, steepest, valueAt, widthOf } from './mesh.js';

/** Steps between two refinements: even, and few enough that the front stays in the smallest patches. */
const BETWEEN = 8;

/** What comes before a step: returns the number of patches, or undefined if there are no more steps. */
export function prepare(step: number, front: Front): number | undefined {
  if (step === front.steps) return undefined;
  if (step > 0 && step % BETWEEN === 0) refine(front);
  return front.count[0];
}

/** One step of patches [lo, hi). */
export function stepPatches(lo: number, hi: number, step: number, front: Front): void {
  const { now, next, patches, steepness } = front;
  const [from, to] = step % 2 === 0 ? [now, next] : [next, now];
  const duration = durationOf(front);
  for (let k = lo; k < hi; k++) {
    const patch = patches[k];
    fillRim(front, from, patch, step * duration);
    if ((step + 1) % BETWEEN === 0) steepness[patch] = steepest(from, patch);
    stepPatch(from, to, patch, duration, widthOf(front.levels[patch]));
  }
}

/** Gives the rim of a patch the values of the neighbours, and those of the solution beyond the square. */
function fillRim(front: Front, values: Float64Array, patch: number, time: number): void {
  const { levels, columns, rows } = front;
  const level = levels[patch];
  const width = widthOf(level);
  const end = Math.round(1 / width);
  const fill = (col: number, row: number): void => {
    const x = columns[patch] * CELLS + col;
    const y = rows[patch] * CELLS + row;
    const isInside = x >= 0 && y >= 0 && x < end && y < end;
    values[cell(patch, col, row)] = isInside
      ? valueAt(front, values, level, x, y)
      : exact((x + 0.5) * width, (y + 0.5) * width, time);
  };
  for (let k = 0; k < CELLS; k++) {
    fill(k, -1);
    fill(k, CELLS);
    fill(-1, k);
    fill(CELLS, k);
  }
}

/** One step of a patch whose rim is filled. */
function stepPatch(from: Float64Array, to: Float64Array, patch: number, duration: number, width: number): void {
  const spread = (duration * VISCOSITY) / (width * width);
  const drift = duration / (4 * width);
  for (let row = 0; row < CELLS; row++) {
    for (let i = cell(patch, 0, row); i < cell(patch, CELLS, row); i++) {
      const u = from[i];
      const left = from[i - 1];
      const right = from[i + 1];
      const below = from[i - STRIDE];
      const above = from[i + STRIDE];
      // What flows in and out is a difference of squares, so that the front has the right speed in cells of any size.
      const flow = right * right - left * left + above * above - below * below;
      to[i] = u + spread * (left + right + below + above - 4 * u) - drift * flow;
    }
  }
}

export function sequential(front: Front): void {
  for (let step = 0; ; step++) {
    const patches = prepare(step, front);
    if (patches === undefined) return;
    stepPatches(0, patches, step, front);
  }
}
