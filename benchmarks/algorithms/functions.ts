/** Whether the twentieth function in a process runs as fast as the first; runs on the main thread. */
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
import { type Candidate, candidate, compare, of } from '../harness/compare.js';
import { atMost, beside, type Figure, figure } from '../harness/figure.js';
import { fillRandom } from './random-keys.js';
import { shared } from './shared-loops.js';

const FUNCTIONS = 20;
const ELEMENTS = 100_000;
const SORTED = 20_000;
const ROUNDS = 25;
/** Calls of a function until V8 has compiled what runs it. */
const CALLS = 60;

const TARGET = atMost(1.1);

type Numeric = (...args: number[]) => number;

/** One algorithm, by the library and by a loop that takes the function as an argument; both give the same number. */
interface Work {
  readonly name: string;
  /** The text of the function of that number: no two are the same code. */
  text(k: number): string;
  ours(fn: never): number;
  naive(fn: never): number;
}

/** Of its own text, as if the program had twenty of them. */
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

async function figuresOf({ name, text, ours, naive }: Work, setup: Setup): Promise<Figure[]> {
  const functions = Array.from({ length: FUNCTIONS }, (_, k) => functionOf(text(k)));
  const pair = (which: string, fn: never): Candidate[] => {
    const expected = naive(fn);
    return [
      candidate(`ours, ${which}`, expected, () => ours(fn)),
      candidate(`shared loop, ${which}`, expected, () => naive(fn)),
    ];
  };
  const run = (which: string, fn: never) => compare(pair(which, fn), effort(setup, ROUNDS, CALLS));
  const alone = await run('first', functions[0]);
  for (const fn of functions.slice(1))
    await compare(pair('another', fn), { rounds: 1, warmUps: setup.short ? 1 : CALLS });
  const after = await run('twentieth', functions[FUNCTIONS - 1]);
  const [first, twentieth] = [of(alone, 'ours, first'), of(after, 'ours, twentieth')];
  const [naiveFirst, naiveTwentieth] = [of(alone, 'shared loop, first'), of(after, 'shared loop, twentieth')];
  return [
    figure(`${name}, twentieth function`, twentieth, {
      comparisons: [
        beside('first, while alone', twentieth, first, TARGET),
        beside('shared loop, twentieth', twentieth, naiveTwentieth),
      ],
    }),
    figure(`${name}, shared loop, twentieth function`, naiveTwentieth, {
      comparisons: [beside('first, while alone', naiveTwentieth, naiveFirst)],
    }),
  ];
}

export const functions: Benchmark = {
  name: 'functions',
  says:
    'that every function has a loop of its own: the twentieth in a process beside the first, measured before there were ' +
    'others, and beside a loop that all functions share.',
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
