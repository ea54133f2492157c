/** Measures task graphs: what a node costs, by the kind of its result, and a wavefront of tiles beside the same tiles with barriers; runs on the main thread and in pools. */
import { ForkJoinPool, parallelFor, sharedArray } from 'furcate';
import { type TaskGraph, taskGraph } from 'furcate/flows';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { candidate, compare, of } from '../harness/compare.js';
import { atLeast, atMost, type Figure, figure, speedUp } from '../harness/figure.js';
import { median } from '../harness/median.js';
import { busy } from '../tasks/flat.mjs';
import {
  addNodes,
  computeTile,
  nextNode,
  ofTwoArrays,
  ofTwoLists,
  ofTwoNumbers,
  ofTwoObjects,
  ofTwoShared,
  ofTwoTexts,
  tile,
} from '../tasks/graphs.mjs';

const ROUNDS = 7;

interface Shape {
  readonly name: string;
  /** The most that a node may cost with two workers (ns). */
  readonly mostOfTwo: number;
  build(nodes: number): TaskGraph<[], number>;
  /** What the graph gives. */
  expected(nodes: number): number;
}

/** A node of the grid has the nodes above and to the left of it before it; at the edges, the number 1 stands for them. */
function gridOf(nodes: number): number {
  const side = Math.floor(Math.sqrt(nodes));
  const row = new Int32Array(side).fill(1);
  for (let i = 0; i < side; i++) for (let j = 0; j < side; j++) row[j] += j === 0 ? 1 : row[j - 1];
  return row[side - 1];
}

/** Some earlier node for each node, equal in every run. */
const earlier = (i: number): number => Math.imul(i, 0x9e3779b1) >>> 0;

const SHAPES: readonly Shape[] = [
  {
    name: 'a path',
    mostOfTwo: 400,
    build: (nodes) =>
      taskGraph((g) => {
        let last = g.task(nextNode, 0);
        for (let i = 1; i < nodes; i++) last = g.task(nextNode, last);
        return last;
      }),
    expected: (nodes) => nodes | 0,
  },
  {
    name: 'a grid',
    mostOfTwo: 400,
    build: (nodes) =>
      taskGraph((g) => {
        const side = Math.floor(Math.sqrt(nodes));
        const row: ReturnType<typeof g.task<[number, number], number>>[] = [];
        for (let i = 0; i < side; i++)
          for (let j = 0; j < side; j++) row[j] = g.task(addNodes, i === 0 ? 1 : row[j], j === 0 ? 1 : row[j - 1]);
        return row[side - 1];
      }),
    expected: gridOf,
  },
  {
    name: 'random predecessors',
    mostOfTwo: 400,
    build: (nodes) =>
      taskGraph((g) => {
        const all = [g.task(nextNode, 0)];
        for (let i = 1; i < nodes; i++) all.push(g.task(addNodes, all[earlier(i) % i], all[earlier(~i) % i]));
        return all[nodes - 1];
      }),
    expected(nodes) {
      const all = new Int32Array(nodes).fill(1);
      for (let i = 1; i < nodes; i++) all[i] = all[earlier(i) % i] + all[earlier(~i) % i];
      return all[nodes - 1];
    },
  },
  {
    name: 'a node with all for successors',
    mostOfTwo: 600,
    build: (nodes) =>
      taskGraph((g) => {
        const first = g.task(nextNode, 0);
        let last = first;
        for (let i = 1; i < nodes; i++) last = g.task(nextNode, first);
        return last;
      }),
    expected: () => 2,
  },
];

async function measureNodes(shape: Shape, pools: readonly ForkJoinPool[], setup: Setup): Promise<Figure[]> {
  const nodes = setup.short ? 100_000 : 1_000_000;
  const graph = shape.build(nodes);
  const expected = shape.expected(nodes);
  const samples = await compare(
    pools.map((pool) => candidate(pool.name, expected, () => graph.with({ pool }).run())),
    effort(setup, ROUNDS),
  );
  return pools.map((pool) => {
    const perNode = of(samples, pool.name).map((ms) => (ms * 1e6) / nodes);
    const what = `${shape.name}, ${nodes} nodes of numbers, P=${pool.parallelism}`;
    return figure(what, perNode, { unit: 'ns', target: atMost(pool.parallelism === 1 ? 250 : shape.mostOfTwo) });
  });
}

/** A kind of result: how it is made of two others, and a first one. */
const KINDS: readonly (readonly [name: string, combine: typeof ofTwoTexts, first: () => unknown])[] = [
  ['a number', ofTwoNumbers, () => 1],
  ['a text of 32', ofTwoTexts, () => 'a text'],
  ['an object of 2 numbers', ofTwoObjects, () => ({ x: 1, y: 2 })],
  ['an array of 10 numbers', ofTwoLists, () => Array(10).fill(1)],
  ['a Float64Array of 1 kB', ofTwoArrays, () => new Float64Array(128)],
  ['a shared array', ofTwoShared, () => sharedArray(Float64Array, 128)],
];

/** A grid whose nodes take the results above and to the left of them: in a pool of two, most are taken by another thread. */
async function measureKind(
  [name, combine, first]: (typeof KINDS)[number],
  pools: readonly ForkJoinPool[],
  setup: Setup,
): Promise<Figure[]> {
  const side = setup.short ? 30 : 200;
  const graph = taskGraph<[first: unknown], unknown>((g, input) => {
    const row: ReturnType<typeof g.task<[unknown, unknown], unknown>>[] = [];
    for (let i = 0; i < side; i++)
      for (let j = 0; j < side; j++) row[j] = g.task(combine, i === 0 ? input : row[j], j === 0 ? input : row[j - 1]);
    return g.task((_: unknown) => 0, row[side - 1]);
  });
  const value = first();
  const samples = await compare(
    pools.map((pool) => candidate(pool.name, 0, () => graph.with({ pool }).run(value))),
    effort(setup, ROUNDS),
  );
  return pools.map((pool) => {
    const perNode = of(samples, pool.name).map((ms) => (ms * 1e6) / side ** 2);
    return figure(`a grid, the results ${name}, P=${pool.parallelism}`, perNode, { unit: 'ns' });
  });
}

/** How many iterations of the busy loop take one microsecond on this machine now. */
function iterationsPerUs(): number {
  const iterations = 2_000_000;
  const rates = Array.from({ length: 15 }, (_, seed) => {
    const start = performance.now();
    busy(iterations, seed);
    return iterations / (performance.now() - start) / 1000;
  });
  return median(rates.slice(5));
}

const TILE_US = 20;
const SIDE = 100;

function wavefront(words: Int32Array, iterations: number): TaskGraph<[], unknown> {
  return taskGraph((g) => {
    const tiles: ReturnType<typeof g.task>[] = [];
    for (let row = 0; row < SIDE; row++)
      for (let column = 0; column < SIDE; column++) {
        const one = g.task(tile, words, row, column, SIDE, iterations);
        if (row > 0) g.after(one, tiles[(row - 1) * SIDE + column]);
        if (column > 0) g.after(one, tiles[row * SIDE + column - 1]);
        tiles.push(one);
      }
    return tiles[SIDE * SIDE - 1];
  });
}

/** One loop for each diagonal: all of it ends before the next one begins. */
async function withBarriers(pool: ForkJoinPool, words: Int32Array, iterations: number): Promise<void> {
  for (let d = 0; d < 2 * SIDE - 1; d++) {
    const first = Math.max(0, d - SIDE + 1);
    await parallelFor(
      Math.min(d, SIDE - 1) - first + 1,
      (i, { tile, words, d, first, side, iterations }) => {
        tile(words, first + i, d - first - i, side, iterations);
      },
      { pool, context: { tile, words, d, first, side: SIDE, iterations }, threshold: 1 },
    );
  }
}

async function measureWavefront(one: ForkJoinPool, two: ForkJoinPool, setup: Setup): Promise<Figure[]> {
  const iterations = Math.round(TILE_US * iterationsPerUs());
  const words = sharedArray(Int32Array, SIDE * SIDE);
  const graph = wavefront(words, iterations);
  const plain = (): void => {
    for (let row = 0; row < SIDE; row++)
      for (let column = 0; column < SIDE; column++) computeTile(words, row, column, SIDE, iterations);
  };
  const last = async (run: () => unknown): Promise<number> => {
    words.fill(0);
    await run();
    return words[SIDE * SIDE - 1];
  };
  const expected = await last(plain);
  const names = ['a plain loop', 'a graph, P=1', 'a graph, P=2', 'barriers, P=2'] as const;
  const runs = [
    plain,
    () => graph.with({ pool: one }).run(),
    () => graph.with({ pool: two }).run(),
    () => withBarriers(two, words, iterations),
  ];
  const samples = await compare(
    names.map((name, k) => candidate(name, expected, () => last(runs[k]))),
    effort(setup, ROUNDS),
  );
  const [loop, ofOne, ofTwo, barriers] = names.map((name) => of(samples, name));
  const tiles = `${SIDE * SIDE} tiles of ${TILE_US} us`;
  return [
    ...names.map((name, k) => figure(`${name}, ${tiles}`, [loop, ofOne, ofTwo, barriers][k])),
    speedUp('a wavefront: P=2 beside P=1', ofOne, ofTwo, { target: atLeast(1.6) }),
    speedUp('a wavefront: the graph beside barriers, P=2', barriers, ofTwo, { target: atLeast(1.2) }),
  ];
}

export const graphs: Benchmark = {
  name: 'graphs',
  says: 'what a node of a task graph costs, by the kind of its result, and how a wavefront of tiles compares with the same tiles and barriers.',
  notFor: 'what it takes to build a graph.',
  async measure(setup) {
    const pools = [1, 2].map((parallelism) => new ForkJoinPool({ parallelism, name: `P=${parallelism}` }));
    try {
      for (const pool of pools) await pool.ready();
      const figures: Figure[] = [];
      for (const shape of SHAPES) figures.push(...(await measureNodes(shape, pools, setup)));
      for (const kind of KINDS) figures.push(...(await measureKind(kind, pools, setup)));
      return [...figures, ...(await measureWavefront(pools[0], pools[1], setup))];
    } finally {
      for (const pool of pools) await pool.close();
    }
  },
};
