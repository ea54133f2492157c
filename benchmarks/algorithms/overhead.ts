/** Measures what the algorithms cost on one worker, compared with a plain loop; runs on the main thread and in a pool. */
import { Worker } from 'node:worker_threads';
import {
  ForkJoinPool,
  free,
  parallelFor,
  parallelForRange,
  parallelForSync,
  parallelMap,
  parallelMapSync,
  parallelReduce,
  parallelReduceSync,
  sharedArray,
} from 'furcate';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { type Candidate, candidate, compare, of } from '../harness/compare.js';
import { atMost, beside, type Figure, figure } from '../harness/figure.js';

const ELEMENTS = 20_000_000;
const ROUNDS = 15;
const TARGET = atMost(1.03);

const PLAIN = 'plain loop';
/** Shows the part of the cost that any worker pays: its core has slept, and its caches are cold. */
const BARE = 'plain loop in a bare worker';

function plainFor(xs: Float64Array): void {
  for (let i = 0; i < xs.length; i++) xs[i] = Math.sqrt(i) * 0.5;
}

function plainSum(xs: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < xs.length; i++) sum += xs[i];
  return sum;
}

function plainSquares(xs: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < xs.length; i++) sum += xs[i] * xs[i];
  return sum;
}

function plainMap(xs: Float64Array, out: Float64Array): void {
  for (let i = 0; i < xs.length; i++) out[i] = xs[i] * 2 + 1;
}

/** A worker that waits for its turn, runs the loop, and notifies the caller. */
class BareWorker {
  readonly #control = new Int32Array(new SharedArrayBuffer(256));
  readonly #worker: Worker;
  #turn = 0;

  constructor(xs: Float64Array) {
    const text = `
      const { control, xs } = require('node:worker_threads').workerData;
      ${plainFor}
      for (let turn = 1; ; turn++) {
        Atomics.wait(control, 0, turn - 1);
        plainFor(xs);
        Atomics.store(control, 32, turn);
        Atomics.notify(control, 32);
      }`;
    this.#worker = new Worker(text, { eval: true, workerData: { control: this.#control, xs } });
  }

  async run(): Promise<void> {
    const done = Atomics.waitAsync(this.#control, 32, this.#turn++);
    Atomics.store(this.#control, 0, this.#turn);
    Atomics.notify(this.#control, 0);
    await done.value;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** A candidate that clears the array, does the work, and checks every element. */
function filling(name: string, xs: Float64Array, wanted: (i: number) => number, fill: () => unknown): Candidate {
  const work = candidate(name, undefined, fill);
  return {
    name,
    expected: -1,
    async run() {
      xs.fill(-1);
      const { ms } = await work.run();
      return { ms, answer: xs.findIndex((x, i) => x !== wanted(i)) };
    },
  };
}

async function figuresOf(title: string, candidates: readonly Candidate[], setup: Setup): Promise<Figure[]> {
  const samples = await compare(candidates, effort(setup, ROUNDS, 4));
  const plain = of(samples, PLAIN);
  return candidates.map(({ name }) => {
    const times = of(samples, name);
    const target = name === BARE ? undefined : TARGET;
    return figure(
      `${title}, ${name}`,
      times,
      name === PLAIN ? {} : { comparisons: [beside(PLAIN, times, plain, target)] },
    );
  });
}

const root = (i: number): number => Math.sqrt(i) * 0.5;

const forFigures = (xs: Float64Array, pool: ForkJoinPool, setup: Setup): Promise<Figure[]> => {
  const options = { pool, context: { xs } };
  const bare = new BareWorker(xs);
  return figuresOf(
    'xs[i] = sqrt(i) / 2',
    [
      filling(PLAIN, xs, root, () => plainFor(xs)),
      filling(BARE, xs, root, () => bare.run()),
      filling('parallelFor', xs, root, () =>
        parallelFor(
          xs.length,
          (i, { xs }) => {
            xs[i] = Math.sqrt(i) * 0.5;
          },
          options,
        ),
      ),
      filling('parallelForSync', xs, root, () =>
        parallelForSync(
          xs.length,
          (i, { xs }) => {
            xs[i] = Math.sqrt(i) * 0.5;
          },
          options,
        ),
      ),
      filling('parallelForRange', xs, root, () =>
        parallelForRange(
          xs.length,
          (lo, hi, { xs }) => {
            for (let i = lo; i < hi; i++) xs[i] = Math.sqrt(i) * 0.5;
          },
          options,
        ),
      ),
    ],
    setup,
  ).finally(() => bare.end());
};

function mapFigures(xs: Float64Array, pool: ForkJoinPool, setup: Setup): Promise<Figure[]> {
  const into = sharedArray(Float64Array, xs.length);
  const wanted = (i: number): number => xs[i] * 2 + 1;
  for (let i = 0; i < xs.length; i++) xs[i] = (i % 1000) * 0.5;
  return figuresOf(
    'xs[i] * 2 + 1',
    [
      filling(PLAIN, into, wanted, () => plainMap(xs, into)),
      filling('parallelMap', into, wanted, () => parallelMap(xs, (x) => x * 2 + 1, { pool, into })),
      filling('parallelMapSync', into, wanted, () => parallelMapSync(xs, (x) => x * 2 + 1, { pool, into })),
    ],
    setup,
  ).finally(() => free(into));
}

/** Uses multiples of one half, whose sums are exact in any order. */
async function reduceFigures(xs: Float64Array, pool: ForkJoinPool, setup: Setup): Promise<Figure[]> {
  for (let i = 0; i < xs.length; i++) xs[i] = (i % 1000) * 0.5;
  const [sum, squares] = [plainSum(xs), plainSquares(xs)];
  return [
    ...(await figuresOf(
      'sum',
      [
        candidate(PLAIN, sum, () => plainSum(xs)),
        candidate('parallelReduce by a function', sum, () => parallelReduce(xs, (a, b) => a + b, 0, { pool })),
        candidate('parallelReduceSync by a function', sum, () => parallelReduceSync(xs, (a, b) => a + b, 0, { pool })),
        candidate("parallelReduce 'sum'", sum, () => parallelReduce(xs, 'sum', { pool })),
      ],
      setup,
    )),
    ...(await figuresOf(
      'sum of squares',
      [
        candidate(PLAIN, squares, () => plainSquares(xs)),
        candidate('parallelReduce with a map', squares, () =>
          parallelReduce(xs, (a, b) => a + b, 0, { pool, map: (x) => x * x }),
        ),
      ],
      setup,
    )),
  ];
}

export const overhead: Benchmark = {
  name: 'overhead',
  says: 'what the algorithms cost on one worker, at default thresholds, compared with a plain loop.',
  notFor: 'speed-up, and short arrays, which run on the caller.',
  async measure(setup) {
    const pool = new ForkJoinPool({ parallelism: 1 });
    const xs = sharedArray(Float64Array, setup.short ? ELEMENTS / 10 : ELEMENTS);
    try {
      await pool.ready();
      return [
        ...(await forFigures(xs, pool, setup)),
        ...(await mapFigures(xs, pool, setup)),
        ...(await reduceFigures(xs, pool, setup)),
      ];
    } finally {
      free(xs);
      await pool.close();
    }
  },
};
