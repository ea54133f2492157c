/** Estimates the carbon dioxide that the flights emitted: parallelFor for each flight, parallelReduce for the total. */
import { parallelFor, parallelReduce, sharedArray } from 'furcate';
import { co2OfFlight } from '../emission-model.js';
import { decimal, flightLine, whole } from '../words.js';
import { type Material, type Question, sameNumbers } from './question.js';

/** Largest relative rounding error of one float64 addition. */
const UNIT_ROUNDOFF = 2 ** -53;
const KILOGRAMS_PER_MEGATON = 1e9;

export interface Emissions {
  /** Kilograms of carbon dioxide of each flight. */
  readonly kilograms: Float64Array;
  readonly totalKilograms: number;
}

export function emissionsQuestion({ flights, pool }: Material): Question<Emissions> {
  const { count, distance, origin, destination } = flights;
  const { latitude, longitude } = flights.airports;
  const plain = new Float64Array(count);
  const shared = sharedArray(Float64Array, count);
  // All terms are positive, so in any order the sum of n terms is off by at most n - 1 roundoffs. Two orders differ by at most twice
  // that.
  const tolerance = 2 * count * UNIT_ROUNDOFF;
  return {
    title: 'How much carbon dioxide did the flights emit, by a rough model?',
    calls: 'parallelFor, parallelReduce (sum)',
    criterion:
      `bit for bit for each flight; the total within ${tolerance.toExponential(1)} of itself ` +
      '(2 n roundoffs: the library adds in a fixed tree, the plain loop from left to right)',

    sequential() {
      let totalKilograms = 0;
      for (let row = 0; row < count; row++) {
        const from = origin[row];
        const to = destination[row];
        const kilograms = co2OfFlight(latitude[from], longitude[from], latitude[to], longitude[to], distance[row]);
        plain[row] = kilograms;
        totalKilograms += kilograms;
      }
      return { kilograms: plain, totalKilograms };
    },

    async parallel(onProgress) {
      await parallelFor(
        count,
        (row, { co2OfFlight, latitude, longitude, origin, destination, distance, shared }) => {
          const from = origin[row];
          const to = destination[row];
          shared[row] = co2OfFlight(latitude[from], longitude[from], latitude[to], longitude[to], distance[row]);
        },
        {
          pool,
          context: { co2OfFlight, latitude, longitude, origin, destination, distance, shared },
          onProgress,
        },
      );
      return { kilograms: shared, totalKilograms: await parallelReduce(shared, 'sum', { pool }) };
    },

    equal: (a, b) =>
      sameNumbers(a.kilograms, b.kilograms) &&
      Math.abs(a.totalKilograms - b.totalKilograms) <= tolerance * Math.abs(a.totalKilograms),

    facts: ({ kilograms, totalKilograms }) => {
      const most = indexOfLargest(kilograms);
      return [
        { label: 'total', value: `${decimal(totalKilograms / KILOGRAMS_PER_MEGATON, 9)} Mt` },
        { label: 'mean of a flight', value: `${decimal(totalKilograms / count, 3)} kg` },
        { label: 'largest', value: `${flightLine(flights, most)} ${whole(kilograms[most])} kg` },
      ];
    },
  };
}

function indexOfLargest(values: Float64Array): number {
  let largest = 0;
  for (let i = 1; i < values.length; i++) {
    if (values[i] > values[largest]) largest = i;
  }
  return largest;
}
