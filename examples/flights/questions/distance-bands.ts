/**
 * Computes the mean delay for each band of distances, with parallelForRange.
 *
 * As in the histogram, each range computes its own sums, and then adds them atomically to the shared sums. The sums of delays are
 * 64-bit integers, because the sum of three million delays may not fit into 32 bits.
 */
import { parallelForRange, sharedArray } from 'furcate';
import { decimal, whole } from '../words.js';
import { type Material, type Question, sameNumbers } from './question.js';

const BAND_MILES = 500;
/** Rows in a range: enough to hide the microsecond that adding the sums of a range to the shared sums costs. */
const ROWS_PER_RANGE = 32_768;
const BANDS = 8; // the last band has all flights from 3,500 miles on

export interface DistanceBands {
  readonly flights: ArrayLike<number>;
  readonly totalDelayMinutes: ArrayLike<number>;
}

export function distanceBandsQuestion({ flights, pool }: Material): Question<DistanceBands> {
  const { count, delay, distance } = flights;
  const sharedFlights = sharedArray(Uint32Array, BANDS);
  const sharedMinutes = sharedArray(BigInt64Array, BANDS);
  return {
    title: 'Are long flights later than short ones?',
    calls: 'parallelForRange',
    criterion: 'bit for bit: counts and sums of integers',

    sequential() {
      const inBand = new Array<number>(BANDS).fill(0);
      const minutes = new Array<number>(BANDS).fill(0);
      for (let row = 0; row < count; row++) {
        const band = Math.min(BANDS - 1, Math.floor(distance[row] / BAND_MILES));
        inBand[band]++;
        minutes[band] += delay[row];
      }
      return { flights: inBand, totalDelayMinutes: minutes };
    },

    async parallel() {
      sharedFlights.fill(0);
      sharedMinutes.fill(0n);
      await parallelForRange(
        count,
        (lo, hi, { delay, distance, sharedFlights, sharedMinutes, bandMiles }) => {
          const bands = sharedFlights.length;
          const inBand = new Uint32Array(bands);
          const minutes = new Float64Array(bands);
          for (let row = lo; row < hi; row++) {
            const band = Math.min(bands - 1, Math.floor(distance[row] / bandMiles));
            inBand[band]++;
            minutes[band] += delay[row];
          }
          for (let band = 0; band < bands; band++) {
            Atomics.add(sharedFlights, band, inBand[band]);
            Atomics.add(sharedMinutes, band, BigInt(minutes[band]));
          }
        },
        {
          pool,
          threshold: ROWS_PER_RANGE,
          context: { delay, distance, sharedFlights, sharedMinutes, bandMiles: BAND_MILES },
        },
      );
      return { flights: sharedFlights, totalDelayMinutes: Array.from(sharedMinutes, Number) };
    },

    equal: (a, b) => sameNumbers(a.flights, b.flights) && sameNumbers(a.totalDelayMinutes, b.totalDelayMinutes),

    facts: (answer) =>
      Array.from({ length: BANDS }, (_, band) => {
        const inBand = answer.flights[band];
        const mean = answer.totalDelayMinutes[band] / inBand;
        return {
          label: bandName(band),
          value: inBand === 0 ? 'no flights' : `${decimal(mean, 3)} min, mean of ${whole(inBand)} flights`,
        };
      }),
  };
}

function bandName(band: number): string {
  const from = whole(band * BAND_MILES);
  return band === BANDS - 1 ? `${from} miles and more` : `${from} to ${whole((band + 1) * BAND_MILES - 1)} miles`;
}
