/**
 * One pass over all flights, for every picture: which are selected, where they start, how late they are, and three histograms.
 *
 * `tallyRange` is the plain loop, and also what Furcate runs on its workers, for parts of the rows. Each part counts into an array of its
 * own, and adds that to the shared counts at its end. All counts are integers, so they are equal however the rows are split.
 */
import { type ForkJoinPool, free, parallelForRange, sharedArray } from 'furcate';
import type { Flights } from '../data/flights.js';
import { type Bounds, openBounds } from './bounds.js';
import { binsOf, DIMENSIONS } from './dimensions.js';

/** What a pass reads and writes. Threads share the arrays. */
export interface Pass {
  readonly distance: Int16Array;
  readonly minute: Int16Array;
  readonly delay: Int16Array;
  readonly distanceBin: Uint8Array;
  readonly minuteBin: Uint8Array;
  readonly delayBin: Uint8Array;
  readonly origin: Uint16Array;
  readonly bounds: Bounds;
  /** All counts, one behind the other: see `Tally`. */
  readonly counts: Int32Array;
  readonly minuteBinsAt: number;
  readonly delayBinsAt: number;
  readonly flightsAt: number;
  readonly lateAt: number;
}

/** The counts of a pass, as views of one array. */
export interface Tally {
  /**
   * For each dimension, flights by bin. A histogram counts the flights that the filters of the other dimensions select, so that it shows
   * what moving its own filter would bring.
   */
  readonly histograms: readonly Int32Array[];
  /** Selected flights by origin. */
  readonly flights: Int32Array;
  /** The sum of their delays in minutes, by origin. */
  readonly late: Int32Array;
  readonly all: Int32Array;
}

export function tallyRange(lo: number, hi: number, pass: Pass): void {
  const { distance, minute, delay, distanceBin, minuteBin, delayBin, origin, bounds } = pass;
  const { minuteBinsAt, delayBinsAt, flightsAt, lateAt } = pass;
  const [distanceLow, distanceHigh, minuteLow, minuteHigh, delayLow, delayHigh] = bounds;
  const counts = new Int32Array(pass.counts.length);
  for (let row = lo; row < hi; row++) {
    const miles = distance[row];
    const time = minute[row];
    const late = delay[row];
    const at = origin[row];
    // 1 if the value is within the bounds: neither difference is negative. Branches would be mispredicted for most flights, and
    // take up to three times as long.
    const inDistance = 1 - (((miles - distanceLow) | (distanceHigh - 1 - miles)) >>> 31);
    const inMinute = 1 - (((time - minuteLow) | (minuteHigh - 1 - time)) >>> 31);
    const inDelay = 1 - (((late - delayLow) | (delayHigh - 1 - late)) >>> 31);
    const selected = inDistance & inMinute & inDelay;
    counts[distanceBin[row]] += inMinute & inDelay;
    counts[minuteBinsAt + minuteBin[row]] += inDistance & inDelay;
    counts[delayBinsAt + delayBin[row]] += inDistance & inMinute;
    counts[flightsAt + at] += selected;
    counts[lateAt + at] += late & -selected;
  }
  for (let i = 0; i < counts.length; i++) if (counts[i] !== 0) Atomics.add(pass.counts, i, counts[i]);
}

/** Fewest rows in a part: adding the counts of a part takes some 10 us, its rows take 200 us and more. */
const ROWS_PER_PART = 65_536;

export class Crossfilter {
  /** What is selected. Write it between passes. */
  readonly bounds: Bounds = openBounds();
  readonly #count: number;
  readonly #pool: ForkJoinPool;
  readonly #plain: Pass;
  readonly #shared: Pass;

  constructor(flights: Flights, pool: ForkJoinPool) {
    const [distanceBins, minuteBins, delayBins] = DIMENSIONS.map(binsOf);
    const airports = flights.airports.length;
    const minuteBinsAt = distanceBins;
    const delayBinsAt = minuteBinsAt + minuteBins;
    const flightsAt = delayBinsAt + delayBins;
    const lateAt = flightsAt + airports;
    const { distance, minute, delay, distanceBin, minuteBin, delayBin, origin } = flights;
    const columns = { distance, minute, delay, distanceBin, minuteBin, delayBin, origin };
    const parts = { bounds: this.bounds, minuteBinsAt, delayBinsAt, flightsAt, lateAt };
    this.#count = flights.count;
    this.#pool = pool;
    this.#plain = { ...columns, ...parts, counts: new Int32Array(lateAt + airports) };
    this.#shared = { ...columns, ...parts, counts: sharedArray(Int32Array, lateAt + airports) };
  }

  /** The plain loop. The tally is valid until the next call. */
  plain(): Tally {
    this.#plain.counts.fill(0);
    tallyRange(0, this.#count, this.#plain);
    return tallyOf(this.#plain);
  }

  /** The same loop on the workers. The tally is valid until the next call. */
  async furcate(): Promise<Tally> {
    this.#shared.counts.fill(0);
    await parallelForRange(this.#count, tallyRange, {
      pool: this.#pool,
      threshold: ROWS_PER_PART,
      context: this.#shared,
    });
    return tallyOf(this.#shared);
  }

  /** Whether a flight is selected. */
  selects(row: number): boolean {
    const { distance, minute, delay } = this.#plain;
    return [distance, minute, delay].every(
      (column, d) => column[row] >= this.bounds[2 * d] && column[row] < this.bounds[2 * d + 1],
    );
  }

  close(): void {
    free(this.#shared.counts);
    free(this.bounds);
  }
}

const tallyOf = ({ counts, minuteBinsAt, delayBinsAt, flightsAt, lateAt }: Pass): Tally => ({
  histograms: [
    counts.subarray(0, minuteBinsAt),
    counts.subarray(minuteBinsAt, delayBinsAt),
    counts.subarray(delayBinsAt, flightsAt),
  ],
  flights: counts.subarray(flightsAt, lateAt),
  late: counts.subarray(lateAt),
  all: counts,
});
