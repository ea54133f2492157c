/** Measures a steal: tasks that another worker always runs, one after the other; runs on the main thread and in a pool of two. */
import { ForkJoinPool, free, sharedArray } from 'furcate';
import { type Benchmark, effort } from '../harness/benchmark.js';
import { compare, of } from '../harness/compare.js';
import { figure } from '../harness/figure.js';
import { median } from '../harness/median.js';
import { shortNumber } from '../harness/table.js';
import { stealsOfClass, stealsOfFunction } from '../tasks/steals.mjs';

const ROUNDS = 25;
const WARM_UPS = 5;
/** Steals in a sample. */
const STEALS = 5000;

const KINDS = [
  { kind: 'class tasks', steals: stealsOfClass },
  { kind: 'function tasks', steals: stealsOfFunction },
];

export const steals: Benchmark = {
  name: 'steals',
  says: `what a steal costs: a worker forks ${STEALS.toLocaleString('en')} tasks one after the other, and joins each when the other one has begun it.`,
  notFor: 'a thief that finds many tasks at once, or one that sleeps.',
  async measure(setup) {
    const pool = new ForkJoinPool({ parallelism: 2 });
    const begun = sharedArray(Int32Array, 1);
    try {
      await pool.ready();
      const candidates = KINDS.map(({ kind, steals }) => ({
        name: kind,
        expected: (STEALS * (STEALS + 1)) / 2,
        async run() {
          const [answer, ms] = await pool.invoke(steals, begun, STEALS);
          return { ms, answer };
        },
      }));
      const samples = await compare(candidates, effort(setup, ROUNDS, WARM_UPS));
      return KINDS.map(({ kind }) => {
        const us = of(samples, kind).map((ms) => (ms * 1000) / STEALS);
        return figure(`a steal of ${kind}, from the fork to the end of the join`, us, {
          unit: 'us',
          note: `${shortNumber(1e6 / median(us))} steals a second`,
        });
      });
    } finally {
      await pool.close();
      free(begun);
    }
  },
};
