/** Orders the flights by distance, and flights of equal distance by delay, with parallelSort and a comparator. */
import { parallelFor, parallelSort, sharedArray } from 'furcate';
import { flightLine, whole } from '../words.js';
import { type Material, type Question, sameNumbers } from './question.js';

export interface ByDistance {
  /** Row numbers, in order. */
  readonly rows: Uint32Array;
}

export function byDistanceQuestion({ flights, pool }: Material): Question<ByDistance> {
  const { count, delay, distance } = flights;
  const plain = new Uint32Array(count);
  const shared = sharedArray(Uint32Array, count);
  const line = (row: number | undefined): string =>
    row === undefined ? 'none' : `${flightLine(flights, row)} ${whole(distance[row])} mi ${whole(delay[row])} min`;
  return {
    title: 'Which flights are the shortest, the middle and the longest?',
    calls: 'parallelFor, parallelSort (comparator)',
    criterion: 'bit for bit: the whole order, ties in the order of the file (both sorts are stable)',

    sequential() {
      for (let row = 0; row < count; row++) plain[row] = row;
      plain.sort((a, b) => distance[a] - distance[b] || delay[a] - delay[b]);
      return { rows: plain };
    },

    async parallel(onProgress) {
      await parallelFor(
        count,
        (row, { shared }) => {
          shared[row] = row;
        },
        { pool, context: { shared } },
      );
      await parallelSort(shared, (a, b, { distance, delay }) => distance[a] - distance[b] || delay[a] - delay[b], {
        pool,
        context: { distance, delay },
        onProgress,
      });
      return { rows: shared };
    },

    equal: (a, b) => sameNumbers(a.rows, b.rows),

    facts: ({ rows }) => [
      { label: 'shortest, earliest', value: line(rows[0]) },
      { label: 'middle', value: line(rows[count >> 1]) },
      { label: 'longest, latest', value: line(rows[count - 1]) },
    ],
  };
}
