/** A histogram of delays, sums by key, and a histogram of the keys. */
import { parallelHistogram, parallelReduceByKey } from 'furcate';
import type { Ways } from '../workload.js';
import { type Answers, DELAYS, type Flights } from './config.js';

const DISTANCES = 2 ** 16;

export const ways: Ways<Flights, Answers> = {
  async ''({ delays, distances }, pool) {
    const bins = DELAYS.max - DELAYS.min;
    const histogram = await parallelHistogram(delays, { bins, ...DELAYS, pool });
    const { keys, values } = await parallelReduceByKey(distances, delays, 'sum', { pool });
    const counts = await parallelHistogram(distances, { bins: DISTANCES, min: 0, max: DISTANCES, pool });
    return { histogram, keys, means: Array.from(values, (sum, i) => sum / counts[keys[i]]) };
  },
};
