/** Compares parallelSort with the sort method of typed arrays; runs on the main thread and in pools. */
import { ForkJoinPool, free, parallelSort, sharedArray } from 'furcate';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { type Candidate, compare, of } from '../harness/compare.js';
import { atLeast, atMost, beside, type Figure, figure, speedUp } from '../harness/figure.js';
import { fillRandom } from './random-keys.js';

const NUMBERS = 10_000_000;
const COMPARED = 1_000_000;
const ROUNDS = 7;

/** Target: speed-up over the built-in sort of numbers. */
const NUMBERS_TARGET = atLeast(1.7);

/** Target: share of the built-in sort's time, with a comparator. */
const COMPARED_TARGET = atMost(1 / 6);

const ascending = (a: number, b: number): number => a - b;

/** A candidate that sorts a fresh copy of `keys` in `into`. It times only the sort, and checks every element. */
function sortCandidate(
  name: string,
  keys: Float64Array,
  sorted: Float64Array,
  into: Float64Array,
  sort: (xs: Float64Array) => unknown,
): Candidate {
  return {
    name,
    expected: -1,
    async run() {
      into.set(keys);
      const start = performance.now();
      const result = sort(into);
      if (result instanceof Promise) await result;
      const ms = performance.now() - start;
      return { ms, answer: firstDifference(into, sorted) };
    },
  };
}

/** The index of the first difference of two arrays, or -1. */
function firstDifference(xs: Float64Array, ys: Float64Array): number {
  for (let i = 0; i < ys.length; i++) if (xs[i] !== ys[i]) return i;
  return -1;
}

type Order = ((a: number, b: number) => number) | undefined;

async function measureSort(elements: number, order: Order, pools: readonly ForkJoinPool[], setup: Setup) {
  const keys = new Float64Array(elements);
  fillRandom(keys);
  const sorted = Float64Array.from(keys).sort();
  const shared = sharedArray(Float64Array, elements);
  const samples = await compare(
    [
      sortCandidate('built-in', keys, sorted, new Float64Array(elements), (xs) => xs.sort(order)),
      ...pools.map((pool) =>
        sortCandidate(`P=${pool.parallelism}`, keys, sorted, shared, (xs) => parallelSort(xs, order, { pool })),
      ),
    ],
    effort(setup, ROUNDS, 1),
  );
  free(shared);
  return samples;
}

async function numbersFigures(pools: readonly ForkJoinPool[], setup: Setup): Promise<Figure[]> {
  const elements = setup.short ? NUMBERS / 10 : NUMBERS;
  const samples = await measureSort(elements, undefined, pools, setup);
  const builtIn = of(samples, 'built-in');
  const title = `numbers, ${elements.toExponential()} random float64`;
  // The native programs sort 1e7 numbers, so a shorter run cannot be compared with them.
  const anchors = setup.short ? [] : ['rayon', 'java'].map((system) => ({ system, workload: 'sort-f64', threads: 2 }));
  return [
    figure(`${title}, built-in`, builtIn),
    figure(`${title}, P=1`, of(samples, 'P=1'), { comparisons: [beside('built-in', of(samples, 'P=1'), builtIn)] }),
    figure(`${title}, P=2`, of(samples, 'P=2'), {
      comparisons: [beside('built-in', of(samples, 'P=2'), builtIn)],
      anchors,
    }),
    speedUp(`${title}, built-in over P=2`, builtIn, of(samples, 'P=2'), { target: NUMBERS_TARGET }),
  ];
}

async function comparedFigures(pools: readonly ForkJoinPool[], setup: Setup): Promise<Figure[]> {
  const elements = setup.short ? COMPARED / 10 : COMPARED;
  const samples = await measureSort(elements, ascending, pools, setup);
  const builtIn = of(samples, 'built-in');
  const title = `comparator, ${elements.toExponential()} random float64`;
  return [
    figure(`${title}, built-in`, builtIn),
    figure(`${title}, P=1`, of(samples, 'P=1'), { comparisons: [beside('built-in', of(samples, 'P=1'), builtIn)] }),
    figure(`${title}, P=2`, of(samples, 'P=2'), {
      comparisons: [beside('built-in', of(samples, 'P=2'), builtIn, COMPARED_TARGET)],
    }),
  ];
}

export const sort: Benchmark = {
  name: 'sort',
  says: 'how fast parallelSort is, compared with TypedArray.prototype.sort, on shared arrays of random float64.',
  notFor: 'many equal keys, sorted input, other element types, and arrays that are not shared, which are copied.',
  async measure(setup) {
    const pools = [1, 2].map((parallelism) => new ForkJoinPool({ parallelism }));
    try {
      await Promise.all(pools.map((pool) => pool.ready()));
      return [...(await numbersFigures(pools, setup)), ...(await comparedFigures(pools, setup))];
    } finally {
      await Promise.all(pools.map((pool) => pool.close()));
    }
  },
};
