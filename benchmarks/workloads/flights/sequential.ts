/** One loop that counts and adds up in tables. */
import { type Answers, DELAYS, type Flights } from './config.js';

const DISTANCES = 2 ** 16;

export function sequential({ delays, distances }: Flights): Answers {
  const histogram = new Uint32Array(DELAYS.max - DELAYS.min);
  const sums = new Float64Array(DISTANCES);
  const counts = new Uint32Array(DISTANCES);
  for (let i = 0; i < delays.length; i++) {
    const delay = delays[i];
    if (delay >= DELAYS.min && delay <= DELAYS.max) histogram[Math.min(delay - DELAYS.min, histogram.length - 1)]++;
    sums[distances[i]] += delay;
    counts[distances[i]]++;
  }
  const keys = Array.from(counts.keys()).filter((distance) => counts[distance] > 0);
  return { histogram, keys, means: keys.map((key) => sums[key] / counts[key]) };
}
