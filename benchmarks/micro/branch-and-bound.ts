/** Measures branch and bound: a plain program beside tasks that share the best value; runs on the main thread and in pools. */
import { type Forkable, ForkJoinPool, sharedArray } from 'furcate';
import { type SharedBest, sharedBest } from 'furcate/flows';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { type Candidate, candidate, compare, of } from '../harness/compare.js';
import { atLeast, type Figure, figure, speedUp } from '../harness/figure.js';
import { median } from '../harness/median.js';
import {
  type Found,
  type Items,
  type Places,
  packTask,
  plainPack,
  plainTour,
  takeVisited,
  tourAlone,
  tourTask,
} from '../tasks/branch-and-bound.mjs';

const ROUNDS = 9;

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const PLACES = 16;

/** Places in a square of 1000 by 1000. */
function placesOf(seed: number): Places {
  const next = random(seed);
  const at = Array.from({ length: PLACES }, () => [next(), next()]);
  const far = (i: number, j: number): number => Math.round(1000 * Math.hypot(at[i][0] - at[j][0], at[i][1] - at[j][1]));
  const all = [...at.keys()];
  const others = all.map((i) => all.filter((j) => j !== i).sort((a, b) => far(i, a) - far(i, b) || a - b));
  return {
    distances: sharedArray(
      Float64Array,
      all.flatMap((i) => all.map((j) => far(i, j))),
    ),
    nearest: sharedArray(
      Int32Array,
      others.flatMap((list) => [...list, -1]),
    ),
    least: sharedArray(
      Float64Array,
      others.map(([first], i) => far(i, first)),
    ),
  };
}

const ITEMS = 80;

/** What an item is worth, by its weight and a number from 0 to 1: kinds that are known to be hard (Pisinger 2005). */
const WORTH = {
  'strongly correlated': (weight: number) => weight + 100,
  'almost strongly correlated': (weight: number, x: number) => weight + 98 + Math.floor(5 * x),
  circle: (weight: number) => Math.round((2 / 3) * Math.sqrt(4e6 - (weight - 2000) ** 2)),
} satisfies Record<string, (weight: number, x: number) => number>;

function itemsOf(kind: keyof typeof WORTH, seed: number): Items {
  const next = random(seed);
  const worth: (weight: number, x: number) => number = WORTH[kind];
  const items = Array.from({ length: ITEMS }, () => {
    const weight = 1 + Math.floor(1000 * next());
    return { weight, value: worth(weight, kind === 'almost strongly correlated' ? next() : 0) };
  }).sort((a, b) => b.value / b.weight - a.value / a.weight);
  const weights = items.map(({ weight }) => weight);
  const values = items.map(({ value }) => value);
  return {
    weights: sharedArray(Float64Array, weights),
    values: sharedArray(Float64Array, values),
    room: Math.floor(0.4 * weights.reduce((a, b) => a + b, 0)),
  };
}

interface Instance {
  readonly name: string;
  plain(): Found;
  readonly kind: 'min' | 'max';
  readonly words: number;
  /** Searches all in a pool. */
  search(pool: ForkJoinPool, best: SharedBest): Promise<void>;
}

function instance<T>(
  name: string,
  data: T,
  kind: Instance['kind'],
  words: number,
  plain: (data: T) => Found,
  task: Forkable<[SharedBest, T], void>,
): Instance {
  return { name, kind, words, plain: () => plain(data), search: (pool, best) => pool.invoke(task, best, data) };
}

/** Of the seeds from 1 to 10, those whose plain search visits 1 to 20 million nodes: not chosen by how well tasks do. */
const INSTANCES: readonly Instance[] = [
  ...[2, 4, 5, 7, 8, 9].map((seed) =>
    instance(`${PLACES} places, seed ${seed}`, placesOf(seed), 'min', PLACES, plainTour, tourTask),
  ),
  ...(
    [
      ['strongly correlated', [4, 6, 7]],
      ['almost strongly correlated', [2, 4, 5, 6, 8]],
      ['circle', [4, 6, 7]],
    ] as const
  ).flatMap(([kind, seeds]) =>
    seeds.map((seed) =>
      instance(`${ITEMS} items, ${kind}, seed ${seed}`, itemsOf(kind, seed), 'max', ITEMS, plainPack, packTask),
    ),
  ),
];

/** The nodes that one search in a pool has visited: of all threads, and of the one that has visited most. */
interface Visited {
  readonly all: number;
  readonly busiest: number;
}

/** Searches in a pool, and notes what the threads have visited; that is not part of the time. */
const inPool = (one: Instance, pool: ForkJoinPool, expected: number, visited: Visited[]): Candidate => ({
  name: pool.name,
  expected,
  async run() {
    const best = sharedBest(one.kind, { solution: one.words });
    const start = performance.now();
    await one.search(pool, best);
    const ms = performance.now() - start;
    const counts = await pool.broadcast(takeVisited);
    visited.push({ all: counts.reduce((a, b) => a + b, 0), busiest: Math.max(...counts) });
    return { ms, answer: best.value };
  },
});

async function measureOne(one: Instance, pools: readonly ForkJoinPool[], setup: Setup): Promise<Figure[]> {
  const expected = one.plain();
  const plain = candidate('plain', expected.best, () => one.plain().best);
  const visited = pools.map((): Visited[] => []);
  const shared = pools.map((pool, k) => inPool(one, pool, expected.best, visited[k]));
  const samples = await compare([plain, ...shared], effort(setup, ROUNDS));
  const times = of(samples, 'plain');
  const share = (counts: readonly number[]): string => (median(counts) / expected.nodes).toFixed(2);
  return [
    figure(`${one.name}: plain, ${(expected.nodes / 1e6).toFixed(1)} million nodes`, times),
    ...pools.map(({ name }, k) => {
      const all = share(visited[k].map(({ all }) => all));
      const busiest = share(visited[k].map(({ busiest }) => busiest));
      const what = `${one.name}: ${name}, ${all} of its nodes, the busiest worker ${busiest}`;
      return speedUp(what, times, of(samples, name), { target: atLeast(0.9) });
    }),
  ];
}

/** How much faster two threads are than one that have nothing in common: no search of the same nodes can do better. */
async function machine(pool: ForkJoinPool, setup: Setup): Promise<Figure> {
  const places = placesOf(2);
  const expected = plainTour(places).best;
  const alone = (): Promise<number> => pool.invoke(tourAlone, places);
  const samples = await compare(
    [
      candidate('one', expected, alone),
      candidate('two', expected, async () => (await Promise.all([alone(), alone()]))[1]),
    ],
    effort(setup, ROUNDS, 4),
  );
  const twice = of(samples, 'one').map((ms) => 2 * ms);
  return speedUp('what the machine gives: two plain programs at once', twice, of(samples, 'two'));
}

export const branchAndBound: Benchmark = {
  name: 'branch-and-bound',
  says: 'how many times faster than a plain program tasks are that share the best value (sharedBest), and how many nodes they visit.',
  notFor: 'better bounds, which make every version faster.',
  async measure(setup) {
    const pools = [1, 2].map((parallelism) => new ForkJoinPool({ parallelism, name: `P=${parallelism}` }));
    try {
      for (const pool of pools) await pool.ready();
      const figures = [await machine(pools[1], setup)];
      for (const one of INSTANCES) figures.push(...(await measureOne(one, pools, setup)));
      figures.push(await machine(pools[1], setup));
      return figures;
    } finally {
      for (const pool of pools) await pool.close();
    }
  },
};
