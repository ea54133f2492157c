/**
 * Measures calls of `invokeSync` with an empty task and with a tree of 1,023 nodes, by a benny suite; runs on the main thread.
 *
 * benny repeats a case often enough to time microseconds, but runs its cases one after the other. So the suite runs several times,
 * and ratios are taken within each run.
 */
import { setTimeout as pause } from 'node:timers/promises';
import benny from 'benny';
import { ForkJoinPool } from 'furcate';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { checkAnswer } from '../harness/compare.js';
import { atMost, beside, type Figure, figure } from '../harness/figure.js';
import { median } from '../harness/median.js';
import { Next, next } from '../tasks/next.mjs';
import { SlowPaths, slowPathsAnswer } from '../tasks/slow-paths.mjs';
import { plainTreeSum, TreeSum, treeSum } from '../tasks/tree.mjs';

const ROUNDS = 7;

/** How long benny samples one case, and the least duration of a sample (seconds). */
const CASE_S = 0.3;
const SAMPLE_S = 0.02;

/** Rest before each suite (ms): longer than the first worker polls the caller's state after its last work. */
const UNTIL_ASLEEP_MS = 1500;

const NODES = 1023;
const TREE_SUM = (NODES * (NODES + 1)) / 2;

/** Target of the tree: a multiple of the plain recursion, plus the cost of the call (us). */
const CALL_US = 2;
const TREE_FACTOR = { function: 1.5, class: 3 } as const;

const SLOW_DEPTH = 4;
const SLOW_ROUNDS = 10;

type Case = readonly [name: string, expected: number, work: () => number];

const casesFor = (pool: ForkJoinPool): readonly Case[] => [
  ['plain tree', TREE_SUM, () => plainTreeSum(0)],
  ['empty function', 2, () => pool.invokeSync(next, 1)],
  ['empty class', 2, () => pool.invokeSync(new Next(1))],
  ['function tree', TREE_SUM, () => pool.invokeSync(treeSum, 0)],
  ['class tree', TREE_SUM, () => pool.invokeSync(new TreeSum(0))],
];

/** Runs the suite once; returns the medians by case (us). */
async function runSuite(name: string, cases: readonly Case[], caseS: number): Promise<Map<string, number>> {
  const summary = await quietly(() =>
    benny.suite(
      name,
      benny.configure({ cases: { maxTime: caseS, minTime: SAMPLE_S, minSamples: 5 } }),
      ...cases.map(([caseName, expected, work]) =>
        benny.add(caseName, () => {
          checkAnswer(caseName, work(), expected);
        }),
      ),
    ),
  );
  return new Map(summary.results.map(({ name: caseName, details }) => [caseName, details.median * 1e6]));
}

/** Silences the console, on which benny announces every suite. */
async function quietly<T>(run: () => Promise<T>): Promise<T> {
  const { log } = console;
  console.log = () => {};
  try {
    return await run();
  } finally {
    console.log = log;
  }
}

async function measurePool(parallelism: number, setup: Setup): Promise<Figure[]> {
  const pool = new ForkJoinPool({ parallelism });
  try {
    await pool.ready();
    const cases = casesFor(pool);
    takeSlowPaths(pool);
    const times = new Map<string, number[]>(cases.map(([name]) => [name, []]));
    const stolenBefore = pool.stats().stolen;
    const { rounds, warmUps } = effort(setup, ROUNDS, 1);
    for (let round = -warmUps; round < rounds; round++) {
      await pause(UNTIL_ASLEEP_MS);
      // Each repetition begins with another case.
      const start = (round + warmUps) % cases.length;
      const inTurn = [...cases.slice(start), ...cases.slice(0, start)];
      const medians = await runSuite(`invokeSync, P=${parallelism}`, inTurn, setup.short ? 0.05 : CASE_S);
      if (round >= 0) for (const [name, us] of medians) times.get(name)!.push(us);
    }
    const own = figures(parallelism, times);
    if (parallelism === 1) return own;
    const stolen = pool.stats().stolen - stolenBefore;
    return [...own, figure('tasks that the worker stole in all repetitions', [stolen], { unit: '' })];
  } finally {
    await pool.close();
  }
}

function figures(parallelism: number, times: ReadonlyMap<string, readonly number[]>): Figure[] {
  const plain = times.get('plain tree')!;
  const empty = (kind: 'function' | 'class'): Figure =>
    figure(`empty ${kind} task, P=${parallelism}`, times.get(`empty ${kind}`)!, {
      unit: 'us',
      target: atMost(CALL_US),
    });
  const tree = (kind: 'function' | 'class'): Figure => {
    const own = times.get(`${kind} tree`)!;
    const limitUs = TREE_FACTOR[kind] * median(plain) + CALL_US;
    return figure(`tree of ${kind} tasks, P=${parallelism}`, own, {
      unit: 'us',
      target: atMost(limitUs),
      comparisons: [beside('plain recursion', own, plain)],
      note: `target ${TREE_FACTOR[kind]} x plain + ${CALL_US} us`,
    });
  };
  return [
    empty('function'),
    empty('class'),
    figure(`tree by plain recursion, P=${parallelism}`, plain, { unit: 'us' }),
    tree('function'),
    tree('class'),
  ];
}

function takeSlowPaths(pool: ForkJoinPool): void {
  for (let round = 0; round < SLOW_ROUNDS; round++) {
    checkAnswer('the slow paths', pool.invokeSync(new SlowPaths(SLOW_DEPTH, 'x')), slowPathsAnswer(SLOW_DEPTH));
  }
}

export const invokeSync: Benchmark = {
  name: 'invoke-sync',
  says: `what a call of invokeSync costs on the caller: an empty task, and the sum over a tree of ${NODES} nodes.`,
  notFor: 'speed-up: by design, the tree is done before a sleeping worker wakes up.',
  async measure(setup) {
    // First P=2: with a thief to publish to, V8 sees the code paths of publication before P=1 is measured.
    const two = await measurePool(2, setup);
    return [...two, ...(await measurePool(1, setup))];
  },
};
