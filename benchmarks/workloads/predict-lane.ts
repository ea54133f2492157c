/** Predicts the speed-up of one parallel version of a workload on two threads, and measures it; runs on the main thread of a process of its own. */
import { ForkJoinPool, sharedArray } from 'furcate';
import { profile, type SpeedUp } from 'furcate/insight';
import { checkAnswer } from '../harness/compare.js';
import { loadWorkload, type Make } from './workload.js';

/** What `predict.ts` prints of one version. */
export interface Prediction {
  readonly name: string;
  readonly precision: string;
  readonly parallelism: number;
  readonly oneMs: number;
  readonly twoMs: number;
  readonly expected: number;
  readonly bounds: readonly [atLeast: number, atMost: number];
  /** The same for numbers of threads up to 1,024. */
  readonly scaling: readonly ({ readonly threads: number } & SpeedUp)[];
  /** By what part the number of tasks differs between runs, on one thread and on two. */
  readonly otherTasks: number;
  /** Where the time of two threads went, as parts of all. */
  readonly time: Readonly<Record<string, number>>;
}

const [workload = '', size = '', way = '', rounds = '7'] = process.argv.slice(2);
const { config, ways } = await loadWorkload(workload);
const input = config.open(config.sizes[size], sharedArray as Make);
const name = `${workload} ${size}${way === '' ? '' : `, ${way}`}`;
const pools = [1, 2].map((parallelism) => new ForkJoinPool({ parallelism })) as [ForkJoinPool, ForkJoinPool];

async function run(pool: ForkJoinPool): Promise<number> {
  const startMs = performance.now();
  const result = await ways[way]?.(input, pool);
  const ms = performance.now() - startMs;
  checkAnswer(name, config.answer(input, result), config.expected(input));
  config.restore?.(input);
  return ms;
}

const least: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
const RUNS = Math.max(3, Number(rounds));
const [one, two] = [
  await profile(() => run(pools[0]), { runs: RUNS }),
  await profile(() => run(pools[1]), { runs: RUNS }),
];
for (let round = 0; round < RUNS; round++)
  for (const k of [0, 1] as const) least[k] = Math.min(least[k], await run(pools[k]));
await Promise.all(pools.map((pool) => pool.close()));

const { expected, atLeast, atMost } = one.speedUp(2);
const time = Object.fromEntries(
  (['work', 'inflation', 'waiting', 'scheduling', 'idle', 'start'] as const).map((part) => [
    part,
    (two.time?.[part] ?? 0) / (two.time?.total ?? 1),
  ]),
);
const { precision, parallelism } = one;
const counts = [...one.taskBounds, ...two.taskBounds];
const most = Math.max(...counts);
const otherTasks = most === 0 ? 0 : most / Math.max(1, Math.min(...counts)) - 1; // of algorithms alone there are none
const prediction: Prediction = {
  name,
  precision,
  parallelism,
  oneMs: least[0],
  twoMs: least[1],
  expected,
  bounds: [atLeast, atMost],
  scaling: Array.from({ length: 11 }, (_, k) => ({ threads: 2 ** k, ...one.speedUp(2 ** k) })),
  otherTasks,
  time,
};
console.log(JSON.stringify(prediction));
