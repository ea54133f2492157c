// Measures this runtime: each kind of work by the library, by the plain program, and by bare workers, in turn. Every answer is checked.
import { ForkJoinPool, parallelReduce, sharedArray } from 'furcate';
import { fib, nothing, plainFib, plainSum } from './tasks.mjs';

const THREADS = 2;
const ELEMENTS = 10_000_000;
const FIB = 32;
const FIB_RESULT = 2_178_309;
/** Clocks of browsers are coarse. */
const CALLS = 300;

/** A worker without a library; its `ask` resolves to its answer. */
async function bareWorker() {
  const Worker = globalThis.Worker ?? (await import('node:worker_threads')).Worker;
  const worker = new Worker(new URL('./bare-worker.mjs', import.meta.url), { type: 'module' });
  let hear;
  if (worker.on === undefined) worker.onmessage = ({ data }) => hear(data);
  else worker.on('message', (data) => hear(data));
  const answer = () =>
    new Promise((resolve) => {
      hear = resolve;
    });
  await answer(); // it is ready
  return {
    ask(message) {
      const answered = answer();
      worker.postMessage(message);
      return answered;
    },
    end: () => worker.terminate(),
  };
}

async function repeated(call) {
  for (let k = 0; k < CALLS; k++) await call();
  return CALLS;
}

/** @returns milliseconds by work and candidate, one for each round */
export async function measure({ rounds, warmUps }) {
  const pool = new ForkJoinPool({ parallelism: THREADS });
  const bare = [await bareWorker(), await bareWorker()];
  const xs = sharedArray(Float64Array, ELEMENTS);
  for (let i = 0; i < ELEMENTS; i++) xs[i] = i % 1000;
  const expected = plainSum(xs);
  const half = ELEMENTS / 2;
  const works = {
    'round trip': {
      expected: CALLS,
      furcate: () => repeated(() => pool.invoke(nothing)),
      bare: () => repeated(() => bare[0].ask(0)),
    },
    reduce: {
      expected,
      furcate: () => parallelReduce(xs, (a, b) => a + b, 0, { pool }),
      plain: () => plainSum(xs),
      bare: async () => {
        const { buffer, byteOffset } = xs;
        const first = byteOffset / 8;
        const parts = bare.map(({ ask }, k) => ask({ buffer, from: first + k * half, to: first + (k + 1) * half }));
        const [left, right] = await Promise.all(parts);
        return left + right;
      },
    },
    fib: { expected: FIB_RESULT, furcate: () => pool.invoke(fib, FIB), plain: () => plainFib(FIB) },
  };
  const samples = {};
  for (const [work, { expected, ...candidates }] of Object.entries(works)) {
    const names = Object.keys(candidates);
    samples[work] = Object.fromEntries(names.map((name) => [name, []]));
    for (let round = -warmUps; round < rounds; round++) {
      for (let k = 0; k < names.length; k++) {
        const name = names[(k + round + warmUps) % names.length];
        const fromMs = performance.now();
        const answer = await candidates[name]();
        const ms = performance.now() - fromMs;
        if (answer !== expected) throw new Error(`${work} by ${name}: ${answer} in the place of ${expected}`);
        if (round >= 0) samples[work][name].push(ms);
      }
    }
  }
  await pool.close();
  for (const worker of bare) worker.end();
  return samples;
}
