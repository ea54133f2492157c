/** Measures the public deque beside one with a lock, with up to three thieves; runs on the main thread. It reaches into the source: no program uses the deque alone. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { atMost, beside, type Figure, figure } from '../harness/figure.js';
import { BATCH, type DequeResult, type DequeRun, LAYOUT } from './deque-thread.js';
import { lockedDequeWords } from './locked-deque.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = join(ROOT, '.build/deques/deque-thread.mjs');

const THREADS = [1, 2, 3, 4];
const BATCHES = 100_000;
const ROUNDS = 9;
const WARM_UPS = 3;
/** Entries of the locked deque: as many as ours has. */
const CAPACITY = 256;
/** What the owner pushes, in one batch after the other: the sum of what all threads take must be that. */
const sumOf = (batches: number): number => {
  let sum = 0;
  for (let batch = 0; batch < batches; batch++) sum += BATCH * (batch & 0xff);
  return sum;
};

interface Sample {
  readonly nsOfPair: number;
  readonly stealsPerSecond: number;
}

/** Lets the threads run once. */
async function runOnce(kind: DequeRun['kind'], workers: readonly Worker[], batches: number): Promise<Sample> {
  const bytes = kind === 'ours' ? LAYOUT.totalBytes : 4 * lockedDequeWords(CAPACITY);
  const run: DequeRun = {
    kind,
    words: new Int32Array(new SharedArrayBuffer(bytes)),
    control: new Int32Array(new SharedArrayBuffer(8)),
    threads: workers.length,
    rounds: batches,
  };
  const results = await Promise.all(
    workers.map(
      (worker) =>
        new Promise<DequeResult>((resolve, reject) => {
          worker.once('error', reject);
          worker.once('message', (result: DequeResult) => {
            worker.off('error', reject);
            resolve(result);
          });
          worker.postMessage(run);
        }),
    ),
  );
  const taken = results.reduce((all, { taken }) => all + taken, 0);
  const sum = results.reduce((all, { sum }) => all + sum, 0);
  if (taken !== BATCH * batches || sum !== sumOf(batches))
    throw new Error(`The ${kind} deque gave ${taken} entries, whose sum is ${sum}, of ${BATCH * batches}.`);
  const [{ ms, taken: own }] = results;
  return { nsOfPair: (ms * 1e6) / (BATCH * batches), stealsPerSecond: ((taken - own) / ms) * 1000 };
}

async function measure(setup: Setup): Promise<Figure[]> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['benchmarks/micro/deque-thread.ts'],
    outfile: PROGRAM,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
  const { rounds, warmUps } = effort(setup, ROUNDS, WARM_UPS);
  const batches = setup.short ? BATCHES / 100 : BATCHES;
  const figures: Figure[] = [];
  for (const threads of THREADS) {
    const samples: Record<DequeRun['kind'], Sample[]> = { ours: [], locked: [] };
    // Each kind has threads of its own: V8 specialises code to what has run in a thread.
    const workersOf = (): Worker[] =>
      Array.from(
        { length: threads },
        (_, k) => new Worker(PROGRAM, { workerData: { isOwner: k === 0 }, execArgv: [] }),
      );
    const workers = { ours: workersOf(), locked: workersOf() };
    try {
      for (let round = -warmUps; round < rounds; round++) {
        for (const kind of round % 2 === 0 ? (['ours', 'locked'] as const) : (['locked', 'ours'] as const)) {
          const sample = await runOnce(kind, workers[kind], batches);
          if (round >= 0) samples[kind].push(sample);
        }
      }
    } finally {
      await Promise.all([...workers.ours, ...workers.locked].map((worker) => worker.terminate()));
    }
    figures.push(...figuresOf(threads, samples));
  }
  return figures;
}

function figuresOf(threads: number, { ours, locked }: Record<DequeRun['kind'], readonly Sample[]>): Figure[] {
  const thieves = threads === 1 ? 'no thief' : threads === 2 ? 'one thief' : `${threads - 1} thieves`;
  const pairs = (samples: readonly Sample[]): number[] => samples.map(({ nsOfPair }) => nsOfPair);
  const steals = (samples: readonly Sample[]): number[] => samples.map(({ stealsPerSecond }) => stealsPerSecond / 1e6);
  const cost = figure(`a push and a pop of the owner, ${thieves}`, pairs(ours), {
    unit: 'ns',
    // Without thieves a lock is cheap, too: nobody waits for it.
    comparisons: [beside('with a lock', pairs(ours), pairs(locked), threads === 1 ? undefined : atMost(1))],
  });
  const unit = 'million steals a second';
  if (threads === 1) return [cost];
  return [
    cost,
    figure(`steals, ${thieves}, ours`, steals(ours), { unit }),
    figure(`steals, ${thieves}, with a lock`, steals(locked), { unit }),
  ];
}

export const deques: Benchmark = {
  name: 'deques',
  says: 'what a push and a pop of the public deque take, and how many steals a second it bears, beside a deque with a lock, on one to four threads.',
  notFor: 'forks: nearly all of them stay on the private stack, and never reach this deque.',
  measure,
};
