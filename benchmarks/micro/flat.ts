/** Measures how well two workers share a flat list of coarse tasks, in four shapes; runs on the main thread and in pools. */
import { ForkJoinPool, free, sharedArray } from 'furcate';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { candidate, compare, of } from '../harness/compare.js';
import { atLeast, type Bound, beside, type Figure, speedUp } from '../harness/figure.js';
import { median } from '../harness/median.js';
import { busy, FlatList, flatList, plainList } from '../tasks/flat.mjs';

const TASKS = 500;
const ROUNDS = 7;
const SEED = 42;

interface Shape {
  readonly name: string;
  readonly target: Bound;
  /** Lengths in fork order, in any unit. They are scaled to a mean of one millisecond. */
  lengths(): number[];
}

/** Random numbers, uniform in (0, 1), equal in every run. */
function* randomNumbers(): Generator<number, never> {
  for (let state = SEED; ; ) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield ((state >>> 0) + 0.5) / 2 ** 32;
  }
}

function drawn(length: (u: number) => number): number[] {
  const numbers = randomNumbers();
  return Array.from({ length: TASKS }, () => length(numbers.next().value));
}

const SHAPES: readonly Shape[] = [
  { name: 'equal', target: atLeast(1.95), lengths: () => new Array(TASKS).fill(1) },
  {
    // The 20 tasks forked last hold four fifths of the work. Thieves take the oldest tasks, so the owner must publish many at a time.
    name: "long ones at the owner's end",
    target: atLeast(1.75),
    lengths: () => Array.from({ length: TASKS }, (_, i) => (i < TASKS - 20 ? 100 / 480 : 20)),
  },
  { name: 'exponential', target: atLeast(1.9), lengths: () => drawn((u) => -Math.log(u)) },
  { name: 'bimodal (a tenth 11 times as long)', target: atLeast(1.9), lengths: () => drawn((u) => (u < 0.1 ? 11 : 1)) },
];

/** How many iterations of the compiled busy loop take one millisecond on this machine now. */
function iterationsPerMs(): number {
  const iterations = 2_000_000;
  const rates = Array.from({ length: 15 }, (_, seed) => {
    const start = performance.now();
    busy(iterations, seed);
    return iterations / (performance.now() - start);
  });
  return median(rates.slice(5));
}

/** Scales lengths to iterations, with a mean of `meanMs`. */
function scaled(lengths: readonly number[], meanMs: number, perMs: number): Int32Array {
  const scale = (meanMs * perMs * lengths.length) / lengths.reduce((a, b) => a + b, 0);
  return sharedArray(
    Int32Array,
    lengths.map((length) => Math.max(1, Math.round(length * scale))),
  );
}

interface Pools {
  readonly one: ForkJoinPool;
  readonly two: ForkJoinPool;
  /** A second pool of one worker, to measure the speed-up of two pools that share nothing. */
  readonly other: ForkJoinPool;
}

async function measureShape(
  { name, target, lengths }: Shape,
  pools: Pools,
  setup: Setup,
  perMs: number,
): Promise<Figure[]> {
  const xs = scaled(lengths(), setup.short ? 0.2 : 1, perMs);
  const expected = plainList(xs);
  const { one, two } = pools;
  const samples = await compare(
    [
      candidate('plain', expected, () => plainList(xs)),
      candidate('class P=1', expected, () => one.invoke(new FlatList(xs))),
      candidate('class P=2', expected, () => two.invoke(new FlatList(xs))),
      candidate('function P=1', expected, () => one.invoke(flatList, xs)),
      candidate('function P=2', expected, () => two.invoke(flatList, xs)),
    ],
    effort(setup, ROUNDS, 1),
  );
  free(xs);
  return ['class', 'function'].map((kind) => {
    const [slower, faster] = [of(samples, `${kind} P=1`), of(samples, `${kind} P=2`)];
    return speedUp(`${name}, ${kind} tasks, P=2 over P=1`, slower, faster, {
      target,
      comparisons: [beside('P=1 to the plain loop', slower, of(samples, 'plain'))],
    });
  });
}

/** Runs a list on one worker, and then one list on each of two independent pools of one worker at once. */
async function measureCeiling({ one, other }: Pools, setup: Setup, perMs: number): Promise<Figure> {
  const xs = scaled(SHAPES[0].lengths(), setup.short ? 0.2 : 1, perMs);
  const expected = plainList(xs);
  const samples = await compare(
    [
      candidate('alone', expected, () => one.invoke(flatList, xs)),
      candidate('at once', 2 * expected, async () => {
        const sums = await Promise.all([one, other].map((pool) => pool.invoke(flatList, xs)));
        return sums[0] + sums[1];
      }),
    ],
    effort(setup, ROUNDS, 1),
  );
  free(xs);
  const twice = of(samples, 'alone').map((ms) => 2 * ms);
  return speedUp('two lists at once, in pools of one worker: what the machine gives', twice, of(samples, 'at once'));
}

export const flat: Benchmark = {
  name: 'flat',
  says: `how well two workers share a flat list of ${TASKS} tasks of a millisecond on average, joined newest first.`,
  notFor: 'the cost of a task, which is negligible compared with a millisecond.',
  async measure(setup) {
    const pools: Pools = {
      one: new ForkJoinPool({ parallelism: 1 }),
      two: new ForkJoinPool({ parallelism: 2 }),
      other: new ForkJoinPool({ parallelism: 1 }),
    };
    try {
      await Promise.all(Object.values(pools).map((pool: ForkJoinPool) => pool.ready()));
      const perMs = iterationsPerMs();
      const figures = [await measureCeiling(pools, setup, perMs)];
      for (const shape of SHAPES) figures.push(...(await measureShape(shape, pools, setup, perMs)));
      return figures;
    } finally {
      await Promise.all(Object.values(pools).map((pool: ForkJoinPool) => pool.close()));
    }
  },
};
