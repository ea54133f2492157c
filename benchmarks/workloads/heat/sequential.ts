/** Computes the rows of each step from the step before. */
import { type Plate, SHARE } from './config.js';

export function sequential({ side, steps, now, next }: Plate): Float64Array {
  for (let step = 0; step < steps; step++) {
    for (let row = 1; row < side - 1; row++) {
      for (let i = row * side + 1; i < (row + 1) * side - 1; i++) {
        next[i] = now[i] + SHARE * (now[i - 1] + now[i + 1] + now[i - side] + now[i + side] - 4 * now[i]);
      }
    }
    [now, next] = [next, now];
  }
  return now;
}
