/** Row by row. */
import { type Image, MOST_STEPS } from './config.js';

/** The rows lo to hi - 1: from -2 - 1.5i to 1 + 1.5i. */
export function drawRows(lo: number, hi: number, { side, steps }: Image): void {
  for (let row = lo; row < hi; row++) {
    const y0 = (3 * (row + 0.5)) / side - 1.5;
    for (let col = 0; col < side; col++) {
      const x0 = (3 * (col + 0.5)) / side - 2;
      let [x, y, step] = [0, 0, 0];
      while (step < MOST_STEPS && x * x + y * y <= 4) {
        const next = x * x - y * y + x0;
        y = 2 * x * y + y0;
        x = next;
        step++;
      }
      steps[row * side + col] = step;
    }
  }
}

export const sequential = (image: Image): void => drawRows(0, image.side, image);
