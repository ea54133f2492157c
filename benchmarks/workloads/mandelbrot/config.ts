/** The Mandelbrot set: after how many steps each point of an image leaves a circle. */
import type { Config } from '../workload.js';

export const MOST_STEPS = 1000;

export interface Image {
  readonly side: number;
  readonly steps: Uint16Array;
}

export const config: Config<number, Image, void> = {
  what: 'points of unequal cost; checked by the area of the set (Ewing and Schober 1992, by counting pixels: 1.5066)',
  sizes: { '1000 x 1000': 1000 },
  small: 100,
  open: (side, make) => ({ side, steps: make(Uint16Array, side * side) }),
  restore: ({ steps }) => void steps.fill(0),
  answer({ side, steps }) {
    const inside = steps.reduce((count, s) => count + (s === MOST_STEPS ? 1 : 0), 0);
    const area = (inside * 9) / side ** 2;
    // Points that need more steps than these count as inside.
    return Math.abs(area - 1.5066) < 0.005 + 2 / side ? 'right' : `an area of ${area}`;
  },
  expected: () => 'right',
};
