/** Keeps the ten best vectors in a list while it goes through all. */
import { BEST, type Collection } from './config.js';

export function sequential({ vectors, queries, dims, data, wanted }: Collection): number[] {
  const found: number[] = [];
  for (let q = 0; q < queries; q++) {
    const query = wanted.subarray(q * dims, (q + 1) * dims);
    const scores = new Float64Array(BEST).fill(Number.NEGATIVE_INFINITY);
    const best = new Uint32Array(BEST);
    for (let v = 0; v < vectors; v++) {
      let score = 0;
      for (let d = 0; d < dims; d++) score += data[v * dims + d] * query[d];
      if (score <= scores[BEST - 1]) continue;
      let place = BEST - 1;
      for (; place > 0 && scores[place - 1] < score; place--) {
        scores[place] = scores[place - 1];
        best[place] = best[place - 1];
      }
      scores[place] = score;
      best[place] = v;
    }
    found.push(best[0]);
  }
  return found;
}
