/** A histogram of delays, sums by key, and a histogram of the keys; or all of them in one pass, by tables for parts of the flights. */
import { forkable, parallelHistogram, parallelReduceByKey, parallelReduceRange } from 'furcate';
import type { Ways } from '../workload.js';
import { type Answers, DELAYS, type Flights } from './config.js';

const DISTANCES = 2 ** 16;

interface Tables {
  readonly histogram: Uint32Array;
  readonly sums: Float64Array;
  readonly counts: Uint32Array;
}

const tables = (): Tables => ({
  histogram: new Uint32Array(DELAYS.max - DELAYS.min),
  sums: new Float64Array(DISTANCES),
  counts: new Uint32Array(DISTANCES),
});

const fill = forkable(import.meta.url, 'fill', (lo: number, hi: number, { delays, distances }: Flights): Tables => {
  const { histogram, sums, counts } = tables();
  for (let i = lo; i < hi; i++) {
    const delay = delays[i];
    if (delay >= DELAYS.min && delay <= DELAYS.max) histogram[Math.min(delay - DELAYS.min, histogram.length - 1)]++;
    sums[distances[i]] += delay;
    counts[distances[i]]++;
  }
  return { histogram, sums, counts };
});

const add = forkable(import.meta.url, 'add', (left: Tables, right: Tables): Tables => {
  right.histogram.forEach((count, k) => {
    left.histogram[k] += count;
  });
  for (let k = 0; k < DISTANCES; k++) {
    left.sums[k] += right.sums[k];
    left.counts[k] += right.counts[k];
  }
  return left;
});

export const ways: Ways<Flights, Answers> = {
  async ''({ delays, distances }, pool) {
    const bins = DELAYS.max - DELAYS.min;
    const histogram = await parallelHistogram(delays, { bins, ...DELAYS, pool });
    const { keys, values } = await parallelReduceByKey(distances, delays, 'sum', { pool });
    const counts = await parallelHistogram(distances, { bins: DISTANCES, min: 0, max: DISTANCES, pool });
    return { histogram, keys, means: Array.from(values, (sum, i) => sum / counts[keys[i]]) };
  },
  async 'one pass'(flights, pool) {
    const call = { mapRange: fill, context: flights, pool };
    const { histogram, sums, counts } = await parallelReduceRange(flights.delays.length, add, tables(), call);
    const keys = Array.from(counts.keys()).filter((distance) => counts[distance] > 0);
    return { histogram, keys, means: keys.map((key) => sums[key] / counts[key]) };
  },
};
