/** Measures from how many elements on two threads are ahead of a plain loop; runs on the main thread and in a pool. */
import { ForkJoinPool, parallelMap, parallelReduce, parallelSort, sharedArray } from 'furcate';
import { type Benchmark, effort } from '../harness/benchmark.js';
import { candidate, compare, of } from '../harness/compare.js';
import { type Figure, speedUp } from '../harness/figure.js';
import { fillRandom } from './random-keys.js';

const ROUNDS = 9;
const SIZES = [100, 1000, 10_000, 100_000, 1_000_000, 10_000_000];
/** Short calls are repeated until they have done so many elements. */
const ELEMENTS = 100_000;

const cheap = (x: number): number => 2 * x + 1;
/** About 100 ns. */
const dear = (x: number): number => {
  let y = x;
  for (let k = 0; k < 12; k++) y = Math.sin(y) + x;
  return y;
};

interface Work {
  readonly what: string;
  readonly most: number;
  plain(xs: Float64Array, out: Float64Array): number;
  shared(xs: Float64Array, out: Float64Array, pool: ForkJoinPool): Promise<number>;
}

const mapping = (what: string, fn: (x: number) => number, most: number): Work => ({
  what,
  most,
  plain(xs, out) {
    for (let i = 0; i < xs.length; i++) out[i] = fn(xs[i]);
    return out[xs.length - 1];
  },
  shared: async (xs, out, pool) => (await parallelMap(xs, fn, { into: out, pool }))[xs.length - 1],
});

const WORKS: readonly Work[] = [
  mapping('a map, 1 ns an element', cheap, 1e7),
  mapping('a map, 100 ns an element', dear, 1e6),
  {
    what: 'the least of all',
    most: 1e7,
    plain(xs) {
      let least = Number.POSITIVE_INFINITY;
      for (let i = 0; i < xs.length; i++) least = Math.min(least, xs[i]);
      return least;
    },
    shared: (xs, _, pool) => parallelReduce(xs, (a, b) => Math.min(a, b), Number.POSITIVE_INFINITY, { pool }),
  },
  {
    what: 'a sort',
    most: 1e6,
    plain(xs, out) {
      out.set(xs);
      return out.sort()[xs.length >> 1];
    },
    async shared(xs, out, pool) {
      out.set(xs);
      return (await parallelSort(out, { pool }))[xs.length >> 1];
    },
  },
];

export const breakEven: Benchmark = {
  name: 'break-even',
  says: 'how fast two threads are beside a plain loop, by the number of elements.',
  notFor: 'first calls; arrays that are not shared, which are copied; functions that wait.',
  async measure(setup) {
    const pool = new ForkJoinPool({ parallelism: 2 });
    try {
      await pool.ready();
      const figures: Figure[] = [];
      for (const { what, most, plain, shared } of WORKS) {
        for (const n of SIZES.filter((size) => size <= (setup.short ? 1000 : most))) {
          const [xs, out] = [sharedArray(Float64Array, n), sharedArray(Float64Array, n)];
          fillRandom(xs);
          const times = Math.ceil(ELEMENTS / n);
          const expected = plain(xs, out);
          const samples = await compare(
            [
              candidate('plain', expected, () => {
                let answer = 0;
                for (let k = 0; k < times; k++) answer = plain(xs, out);
                return answer;
              }),
              candidate('two threads', expected, async () => {
                let answer = 0;
                for (let k = 0; k < times; k++) answer = await shared(xs, out, pool);
                return answer;
              }),
            ],
            effort(setup, ROUNDS),
          );
          figures.push(speedUp(`${what}; ${n} elements`, of(samples, 'plain'), of(samples, 'two threads')));
        }
      }
      return figures;
    } finally {
      await pool.close();
    }
  },
};
