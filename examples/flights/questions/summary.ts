/** Computes totals and extremes of delay and distance with parallelReduce. */
import { parallelReduce } from 'furcate';
import { decimal, whole } from '../words.js';
import type { Material, Question } from './question.js';

export interface Summary {
  readonly totalDelayMinutes: number;
  readonly meanDelayMinutes: number;
  readonly minDelayMinutes: number;
  readonly maxDelayMinutes: number;
  readonly totalMiles: number;
}

export function summaryQuestion({ flights, pool }: Material): Question<Summary> {
  const { count, delay, distance } = flights;
  return {
    title: 'How late were the flights, and how far did they go?',
    calls: 'parallelReduce (sum, min, max)',
    criterion: 'bit for bit: delays and distances are integers, whose sums are exact in any order',

    sequential() {
      let totalDelayMinutes = 0;
      let minDelayMinutes = Number.POSITIVE_INFINITY;
      let maxDelayMinutes = Number.NEGATIVE_INFINITY;
      let totalMiles = 0;
      for (let row = 0; row < count; row++) {
        const minutes = delay[row];
        totalDelayMinutes += minutes;
        if (minutes < minDelayMinutes) minDelayMinutes = minutes;
        if (minutes > maxDelayMinutes) maxDelayMinutes = minutes;
        totalMiles += distance[row];
      }
      const meanDelayMinutes = totalDelayMinutes / count;
      return { totalDelayMinutes, meanDelayMinutes, minDelayMinutes, maxDelayMinutes, totalMiles };
    },

    async parallel() {
      const [totalDelayMinutes, minDelayMinutes, maxDelayMinutes, totalMiles] = await Promise.all([
        parallelReduce(delay, 'sum', { pool }),
        parallelReduce(delay, 'min', { pool }),
        parallelReduce(delay, 'max', { pool }),
        parallelReduce(distance, 'sum', { pool }),
      ]);
      const meanDelayMinutes = totalDelayMinutes / count;
      return { totalDelayMinutes, meanDelayMinutes, minDelayMinutes, maxDelayMinutes, totalMiles };
    },

    equal: (a, b) =>
      Object.is(a.totalDelayMinutes, b.totalDelayMinutes) &&
      Object.is(a.meanDelayMinutes, b.meanDelayMinutes) &&
      Object.is(a.minDelayMinutes, b.minDelayMinutes) &&
      Object.is(a.maxDelayMinutes, b.maxDelayMinutes) &&
      Object.is(a.totalMiles, b.totalMiles),

    facts: (answer) => [
      { label: 'total delay', value: `${whole(answer.totalDelayMinutes)} min` },
      { label: 'mean delay', value: `${decimal(answer.meanDelayMinutes, 4)} min` },
      { label: 'earliest arrival', value: `${whole(answer.minDelayMinutes)} min` },
      { label: 'latest arrival', value: `${whole(answer.maxDelayMinutes)} min` },
      { label: 'distance flown', value: `${whole(answer.totalMiles)} miles` },
    ],
  };
}
