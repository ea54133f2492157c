/** Heat in a plate whose edges are kept cold: steps in time. The shape of a sine wave stays, and its height falls by a known factor. */
import type { Config } from '../workload.js';

export interface Plate {
  /** Points in a row and in a column, with the edges. */
  readonly side: number;
  readonly steps: number;
  /** The heat at each point, before the first step and after it by turns. */
  readonly now: Float64Array;
  readonly next: Float64Array;
}

/** The share of the difference to a neighbour that moves in a step. */
export const SHARE = 0.2;

const wave = ({ side, now }: Plate): void => {
  for (let row = 0; row < side; row++)
    for (let col = 0; col < side; col++)
      now[row * side + col] = Math.sin((Math.PI * row) / (side - 1)) * Math.sin((Math.PI * col) / (side - 1));
};

export const config: Config<Omit<Plate, 'now' | 'next'>, Plate, Float64Array> = {
  what: 'steps in time; checked by a wave whose decay is known',
  sizes: { '1000 x 1000, 50 steps': { side: 1000, steps: 50 } },
  small: { side: 30, steps: 10 },
  open({ side, steps }, make) {
    const plate = { side, steps, now: make(Float64Array, side * side), next: make(Float64Array, side * side) };
    wave(plate);
    return plate;
  },
  restore: wave,
  answer({ side, steps }, heat) {
    const decay = (1 - 4 * SHARE * (1 - Math.cos(Math.PI / (side - 1)))) ** steps;
    let error = 0;
    for (let i = 0; i < side * side; i++) {
      const start =
        Math.sin((Math.PI * Math.floor(i / side)) / (side - 1)) * Math.sin((Math.PI * (i % side)) / (side - 1));
      error = Math.max(error, Math.abs(heat[i] - decay * start));
    }
    return error < 1e-12 ? 'right' : `an error of ${error}`;
  },
  expected: () => 'right',
};
