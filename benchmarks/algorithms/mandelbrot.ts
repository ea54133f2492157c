/** Draws the Mandelbrot set on one thread. */
import { mandelbrotRow } from '../tasks/mandelbrot.mjs';

export { mandelbrotRow };

export function plainMandelbrot(image: Int32Array, width: number, height: number): Int32Array {
  for (let y = 0; y < height; y++) mandelbrotRow(image, width, height, y);
  return image;
}
