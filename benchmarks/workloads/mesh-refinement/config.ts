/**
 * A steep front that moves through a square: the equation of Burgers in two dimensions, u_t + u (u_x + u_y) = viscosity (u_xx + u_yy), in steps of time on a
 * mesh that is refined where the front is. There is a solution in a formula, which the answer is compared with.
 */
import type { Config } from '../workload.js';
import { coverSquare, emptyMesh, forCells, type Mesh, widthOf } from './mesh.js';

export interface Front extends Mesh {
  /** An even number: the last step writes to `now`. */
  readonly steps: number;
}

export const VISCOSITY = 0.0015;

/** Duration of a step: four fifths of what is stable in the smallest cells. */
export const durationOf = ({ finest }: Mesh): number => (0.2 * widthOf(finest) ** 2) / VISCOSITY;

/** The solution. The front is where x + y - time is one half. */
export const exact = (x: number, y: number, time: number): number =>
  1 / (1 + Math.exp((x + y - time - 0.5) / (2 * VISCOSITY)));

const start = (front: Front): void => coverSquare(front, (x, y) => exact(x, y, 0));

export const config: Config<Pick<Front, 'finest' | 'steps'>, Front, void> = {
  what: 'a front on a mesh that is refined where it is steep; checked by a solution in a formula',
  sizes: { '5 levels, 600 steps': { finest: 4, steps: 600 } },
  small: { finest: 3, steps: 96 },
  open({ finest, steps }, make) {
    const front = { ...emptyMesh(finest, make), steps };
    start(front);
    return front;
  },
  restore: start,
  answer(front) {
    const { now, patches, count, steps, cover, finest } = front;
    let error = 0;
    for (let k = 0; k < count[0]; k++)
      forCells(front, patches[k], 0, (i, x, y) => {
        error = Math.max(error, Math.abs(now[i] - exact(x, y, steps * durationOf(front))));
      });
    const allowed = 0.01 * 4 ** (4 - finest); // of second order: with cells of half the width, a quarter of the error
    const isSparse = count[0] < cover.length / 2; // fewer than half of the patches of a mesh that is fine everywhere
    return error < allowed && isSparse ? 'right' : `an error of ${error} in ${count[0]} patches`;
  },
  expected: () => 'right',
};
