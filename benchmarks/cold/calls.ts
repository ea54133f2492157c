/** Compares the first call of a process, and calls two to ten, with the steady state of the process; runs on the main thread. */
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { type Candidate, compare, of } from '../harness/compare.js';
import {
  atMost,
  type Bound,
  beside,
  type Comparison,
  type Figure,
  type FigureParts,
  figure,
} from '../harness/figure.js';
import { median } from '../harness/median.js';
import { bare, builds, java, type Program } from './fresh-process.js';
import { BARE_START } from './load.js';

const ROUNDS = 9;
/** How many calls at the end of a process count as its steady state (of 40). */
const STEADY_CALLS = 15;

interface Workload {
  readonly name: string;
  readonly what: string;
  /** Target of the first call less the steady time. */
  readonly first: { readonly beside: 'bare' | 'B'; readonly target: Bound };
  /** Target of the mean of calls two to ten over the steady time. */
  readonly soon: Bound;
  /** Target of the steady time, relative to bare. */
  readonly steady?: Bound;
}

const overBare = (limit: number) => ({ beside: 'bare', target: atMost(limit) }) as const;

const WORKLOADS: readonly Workload[] = [
  { name: 'sum', what: 'sum of 5e7 float64', first: overBare(1.5), soon: atMost(1.25) },
  { name: 'scan', what: 'scan of 1e7 float64', first: overBare(1.3), soon: atMost(1.5) },
  { name: 'map', what: 'map of 1e7 float64', first: overBare(1.4), soon: atMost(1.25) },
  { name: 'filter', what: 'filter of 1e7 float64', first: overBare(1.2), soon: atMost(1.5) },
  {
    name: 'histogram',
    what: 'histogram of 1e7 uint32 by a function',
    first: overBare(1.4),
    soon: atMost(1.25),
    steady: atMost(1.4),
  },
  { name: 'fib', what: 'fib(32), class tasks', first: overBare(2.2), soon: atMost(1.1) },
  {
    name: 'sort',
    what: 'sort of 1e7 float64',
    first: { beside: 'B', target: atMost(3) },
    soon: atMost(1.1),
  },
];

/** The times of a process in milliseconds, except that `soon` is a multiple of `steady`. */
interface Times {
  readonly first: number;
  readonly soon: number;
  readonly steady: number;
}

function timesOf(ms: readonly number[]): Times {
  const steady = median(ms.slice(-STEADY_CALLS));
  const soon = ms.slice(1, 10);
  return { first: ms[0] - steady, soon: soon.reduce((sum, one) => sum + one, 0) / soon.length / steady, steady };
}

/** A program that does the workload: a build of the library, or a program to compare with. */
interface Contender {
  readonly name: string;
  readonly program: Program;
  /** One entry for each round. */
  readonly times: Times[];
}

const contender = (name: string, program: Program): Contender => ({ name, program, times: [] });

const candidateOf = ({ name, program, times }: Contender, expected: number): Candidate => ({
  name,
  expected,
  async run() {
    const { ms, answer } = await program<number[]>();
    times.push(timesOf(ms));
    return { ms: ms[0], answer };
  },
});

const column = ({ times }: Contender, key: keyof Times): number[] => times.map((one) => one[key]);

async function figuresOf({ name, what, first, soon, steady }: Workload, setup: Setup): Promise<Figure[]> {
  const { answer } = await bare('plain-answer.mjs', name)();
  const mine = builds(setup).map((build) => contender(build.name, build.program('library-calls.mjs', name)));
  const isBare = first.beside === 'bare';
  const inJava = java(name);
  const others = [
    ...(isBare ? [contender('bare', bare('bare-calls.mjs', name))] : []),
    ...(inJava === undefined ? [] : [contender('java', inJava)]),
  ];
  const all = [...mine, ...others];
  const samples = await compare(
    [...all.map((one) => candidateOf(one, answer)), ...(isBare ? [] : [BARE_START])],
    effort(setup, ROUNDS, 0),
  );

  const msOf = (other: string, key: keyof Times): readonly number[] =>
    other === 'B' ? of(samples, 'B') : column(all.find((one) => one.name === other)!, key);
  /** Compares a build with the program that its target names; compares this build with all other programs too. */
  const compared = (one: Contender, key: keyof Times, other: string, target: Bound): Comparison[] => [
    beside(other, column(one, key), msOf(other, key), target),
    ...all
      .filter(({ name }) => one === mine[0] && name !== one.name && name !== other)
      .map((rest) => beside(rest.name, column(one, key), column(rest, key))),
  ];
  const rows = (
    title: string,
    key: keyof Times,
    partsOfBuild: (one: Contender) => FigureParts,
    unit = 'ms',
  ): Figure[] =>
    all.map((one) =>
      figure(`${what}, ${title}, ${one.name}`, column(one, key), {
        unit,
        ...(mine.includes(one) ? partsOfBuild(one) : {}),
      }),
    );
  return [
    ...rows('first call less steady', 'first', (one) => ({
      comparisons: compared(one, 'first', first.beside, first.target),
    })),
    ...rows('calls 2 to 10 over steady', 'soon', () => ({ target: soon }), 'x'),
    ...(steady === undefined
      ? []
      : rows('steady', 'steady', (one) => ({ comparisons: compared(one, 'steady', 'bare', steady) }))),
  ];
}

/** One benchmark for each workload, so that the command line can name it. */
export const calls: readonly Benchmark[] = WORKLOADS.map((workload) => ({
  name: workload.name,
  says:
    `what the first call of a fresh process costs beyond the steady time (that call makes the pool of two), and what ` +
    `calls two to ten cost: ${workload.what}.`,
  notFor: 'the steady state, for which there are too few calls, and calls of other algorithms in the same process.',
  comparesBuilds: true,
  measure: (setup) => figuresOf(workload, setup),
}));
