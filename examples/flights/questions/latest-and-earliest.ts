/**
 * Orders all flights by delay with parallelSort, to find the latest and the earliest.
 *
 * Delay and row are packed into one float64 (delay * 2^32 + row, exact below 2^53), so a numeric sort orders flights of equal delay by
 * row. No two keys are equal, so the answer is unique.
 */
import { parallelFor, parallelSort, sharedArray } from 'furcate';
import type { Flights } from '../load.js';
import { flightLine, whole } from '../words.js';
import { type Fact, type Material, type Question, sameNumbers } from './question.js';

const ROWS_PER_MINUTE = 2 ** 32; // the difference of keys for one minute of delay: more than the number of rows
const SHOWN = 3;

export interface ByDelay {
  /** Packed keys, ascending. */
  readonly keys: Float64Array;
}

export function latestAndEarliestQuestion({ flights, pool }: Material): Question<ByDelay> {
  const { count, delay } = flights;
  const plain = new Float64Array(count);
  const shared = sharedArray(Float64Array, count);
  return {
    title: 'Which flights were the latest, and which the earliest?',
    calls: 'parallelFor, parallelSort (numbers)',
    criterion: 'bit for bit: the whole order of all flights',
    note: 'Delays are as recorded: an arrival many hours early is surely an error in the data, but stays in.',

    sequential() {
      for (let row = 0; row < count; row++) plain[row] = delay[row] * ROWS_PER_MINUTE + row;
      plain.sort();
      return { keys: plain };
    },

    async parallel(onProgress) {
      await parallelFor(
        count,
        (row, { delay, shared, step }) => {
          shared[row] = delay[row] * step + row;
        },
        { pool, context: { delay, shared, step: ROWS_PER_MINUTE } },
      );
      await parallelSort(shared, { pool, onProgress });
      return { keys: shared };
    },

    equal: (a, b) => sameNumbers(a.keys, b.keys),

    facts: ({ keys }) => {
      const shown = Math.min(SHOWN, count);
      return [
        ...Array.from({ length: shown }, (_, i) => fact(flights, `latest ${i + 1}`, keys[count - 1 - i])),
        ...Array.from({ length: shown }, (_, i) => fact(flights, `earliest ${i + 1}`, keys[i])),
      ];
    },
  };
}

function fact(flights: Flights, label: string, key: number): Fact {
  const minutes = Math.floor(key / ROWS_PER_MINUTE);
  const row = key - minutes * ROWS_PER_MINUTE;
  return { label, value: `${flightLine(flights, row)} ${whole(minutes)} min` };
}
