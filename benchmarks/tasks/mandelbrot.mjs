/** Draws one row of the Mandelbrot set, as the native programs do: at most 200 steps, from -2 - i to 1 + i. Self-contained, so that it can travel in a context. */
export function mandelbrotRow(image, width, height, y) {
  const ci = -1 + (2 * y) / height;
  for (let x = 0; x < width; x++) {
    const cr = -2 + (3 * x) / width;
    let a = 0;
    let b = 0;
    let k = 0;
    while (k < 200 && a * a + b * b < 4) {
      const t = a * a - b * b + cr;
      b = 2 * a * b + ci;
      a = t;
      k++;
    }
    image[y * width + x] = k;
  }
}
