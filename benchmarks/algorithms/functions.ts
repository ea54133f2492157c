/** Checks whether the twentieth function in a process runs as fast as the first; runs on the main thread. */
import {
  ForkJoinPool,
  parallelFilterSync,
  parallelForSync,
  parallelMapSync,
  parallelReduceSync,
  parallelSortSync,
  sharedArray,
} from 'furcate';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { candidate, compare, type Effort, of } from '../harness/compare.js';
import { atMost, type Bound, beside, type Comparison, type Figure, figure } from '../harness/figure.js';
import { plain } from './plain-loops.js';
import { fillRandom } from './random-keys.js';
import { shared } from './shared-loops.js';

const FUNCTIONS = 20;
const ELEMENTS = 100_000;
const SORTED = 20_000;
const ZEROS = new Float64Array(ELEMENTS);
const ROUNDS = 25;
/** Calls of a function until V8 has compiled the loop that runs it. */
const CALLS = 60;

const TARGET = atMost(1.1);

type Numeric = (...args: number[]) => number;

/** One algorithm, run by the library and by a loop that takes the function as an argument. Both return the same number. */
interface Work {
  readonly name: string;
  /** The source text of function number `k`; no two texts are equal. */
  text(k: number): string;
  ours(fn: never): number;
  naive(fn: never): number;
}

/** Compiles the text, as if it were a function of the program. */
const functionOf = (text: string): never => new Function(`return ${text};`)() as never;

function worksOn(pool: ForkJoinPool): Work[] {
  const own = new Float64Array(ELEMENTS);
  fillRandom(own);
  const xs = sharedArray(Float64Array, own);
  const [ownOut, out] = [new Float64Array(ELEMENTS), sharedArray(Float64Array, ELEMENTS)];
  const [ownKeys, keys] = [new Float64Array(SORTED), sharedArray(Float64Array, SORTED)];
  const unsorted = own.slice(0, SORTED);
  const last = ELEMENTS - 1;
  return [
    {
      name: 'parallelFor',
      text: (k) => `(i, { out }) => { out[i] = i * ${k + 2} + 1; }`,
      ours(fn) {
        parallelForSync(ELEMENTS, fn, { pool, context: { out } });
        return out[last];
      },
      naive(fn) {
        shared.each(ELEMENTS, fn, { out: ownOut });
        return ownOut[last];
      },
    },
    {
      name: 'parallelMap',
      text: (k) => `(x) => x * ${k + 2} + 1`,
      ours: (fn) => parallelMapSync(xs, fn, { pool, into: out })[last],
      naive: (fn) => shared.map(own, fn, ownOut)[last],
    },
    {
      name: 'parallelReduce',
      text: (k) => `(a, b) => Math.max(a, b) + ${k} * 0`,
      ours: (fn) => parallelReduceSync(xs, fn as Numeric, 0, { pool }),
      naive: (fn) => shared.reduce(own, fn as Numeric, 0),
    },
    {
      name: 'parallelFilter',
      text: (k) => `(x) => x * ${k + 2} > 1`,
      ours: (fn) => parallelFilterSync(own, fn, { pool }).length,
      naive: (fn) => shared.filter(own, fn).length,
    },
    {
      name: 'parallelSort by a comparator',
      text: (k) => `(a, b) => (a - b) * ${k + 2}`,
      ours(fn) {
        keys.set(unsorted);
        return parallelSortSync(keys, fn as Numeric, { pool })[SORTED >> 1];
      },
      naive(fn) {
        ownKeys.set(unsorted);
        return shared.sort(ownKeys, fn as Numeric)[SORTED >> 1];
      },
    },
  ];
}

const OURS = 'ours';
const SHARED = 'shared loop';
/** A loop without functions, which measures how fast the machine was in a round. */
const PACE = 'pace';

/** Times of a function, one for each round. `steady` holds them in units of the pace of the round. */
interface Times {
  readonly ms: readonly number[];
  readonly steady: readonly number[];
}

async function timesOf({ ours, naive }: Work, fn: never, rounds: Effort): Promise<{ ours: Times; naive: Times }> {
  const expected = naive(fn);
  const samples = await compare(
    [
      candidate(OURS, expected, () => ours(fn)),
      candidate(SHARED, expected, () => naive(fn)),
      candidate(PACE, 0, () => plain.sum(ZEROS)),
    ],
    rounds,
  );
  const times = (name: string): Times => {
    const ms = of(samples, name);
    return { ms, steady: ms.map((time, round) => time / of(samples, PACE)[round]) };
  };
  return { ours: times(OURS), naive: times(SHARED) };
}

async function figuresOf(work: Work, setup: Setup): Promise<Figure[]> {
  const { name, text } = work;
  const functions = Array.from({ length: FUNCTIONS }, (_, k) => functionOf(text(k)));
  const rounds = effort(setup, ROUNDS, CALLS);
  const alone = await timesOf(work, functions[0], rounds);
  for (const fn of functions.slice(1)) await timesOf(work, fn, { ...rounds, rounds: 1 });
  const after = await timesOf(work, functions[FUNCTIONS - 1], rounds);
  const besideFirst = (times: Times, first: Times, target?: Bound): Comparison =>
    beside('first, while alone', times.steady, first.steady, target);
  return [
    figure(`${name}, twentieth function`, after.ours.ms, {
      comparisons: [
        besideFirst(after.ours, alone.ours, TARGET),
        beside('shared loop, twentieth', after.ours.ms, after.naive.ms),
      ],
    }),
    figure(`${name}, shared loop, twentieth function`, after.naive.ms, {
      comparisons: [besideFirst(after.naive, alone.naive)],
    }),
  ];
}

export const functions: Benchmark = {
  name: 'functions',
  says:
    'how fast the twentieth function of a process is, compared with the first one before there were others, and with a ' +
    'loop that all functions share.',
  notFor: 'speed-up; the cost of a first call, which compiles.',
  async measure(setup) {
    const pool = new ForkJoinPool({ parallelism: 1 });
    try {
      const figures: Figure[] = [];
      for (const work of worksOn(pool)) figures.push(...(await figuresOf(work, setup)));
      return figures;
    } finally {
      await pool.close();
    }
  },
};
