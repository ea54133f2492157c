/** Measures how soon an aborted invocation settles after its running leaves; runs on the main thread and in a pool. */
import { setTimeout as pause } from 'node:timers/promises';
import { CancellationError, ForkJoinPool, free, sharedArray } from 'furcate';
import { type Benchmark, effort } from '../harness/benchmark.js';
import { atMost, type Figure, figure } from '../harness/figure.js';
import { median, quantile } from '../harness/median.js';
import { Fib } from '../tasks/fib.mjs';
import { busy } from '../tasks/flat.mjs';
import { MarkedLeaves, nowMs } from '../tasks/marked-leaves.mjs';

const ROUNDS = 40;
const LEAVES = 4096;
const LONG_FIB = 45;

/** Range of the random delay before an abort (ms). An abort may come at any moment of a leaf. */
const EARLIEST_MS = 10;
const LATEST_MS = 30;

const TARGET = atMost(5);

interface Abort {
  /** Time from the abort to the settled promise. */
  readonly settledMs: number;
  /** The part of that time after the end of the last leaf. */
  readonly beyondMs: number;
}

/** Starts an invocation, aborts it at a random moment, and returns when it settled. */
async function abortLater(
  begin: (signal: AbortSignal) => Promise<unknown>,
): Promise<{ abortedMs: number; settledMs: number }> {
  const controller = new AbortController();
  const outcome = begin(controller.signal).then(
    () => undefined,
    (error: unknown) => ({ error, atMs: nowMs() }),
  );
  await pause(EARLIEST_MS + Math.random() * (LATEST_MS - EARLIEST_MS));
  const abortedMs = nowMs();
  controller.abort();
  const settled = await outcome;
  if (settled === undefined) throw new Error('The invocation ended before it was aborted: make it longer.');
  if (!CancellationError.is(settled.error)) throw settled.error;
  return { abortedMs, settledMs: settled.atMs };
}

/** Aborts a tree of leaves of `leafMs`. The leaves note when they end; no leaf may end after the promise has settled. */
async function abortLeaves(pool: ForkJoinPool, leafMs: number, perMs: number): Promise<Abort> {
  const endsMs = sharedArray(Float64Array, LEAVES);
  const task = new MarkedLeaves(endsMs, 0, LEAVES, Math.round(leafMs * perMs));
  const { abortedMs, settledMs } = await abortLater((signal) => pool.invoke(task, { signal }));
  const ended = endsMs.filter((ms) => ms > 0).length;
  const lastMs = endsMs.reduce((a, b) => Math.max(a, b), 0);
  await pause(3 * leafMs);
  const endedLater = endsMs.filter((ms) => ms > 0).length - ended;
  free(endsMs);
  if (endedLater > 0)
    throw new Error(`${endedLater} leaves of an aborted invocation ended after the invocation had settled.`);
  return { settledMs: settledMs - abortedMs, beyondMs: settledMs - Math.max(abortedMs, lastMs) };
}

async function abortFib(pool: ForkJoinPool): Promise<Abort> {
  const { abortedMs, settledMs } = await abortLater((signal) => pool.invoke(new Fib(LONG_FIB), { signal }));
  return { settledMs: settledMs - abortedMs, beyondMs: settledMs - abortedMs };
}

async function figuresOf(what: string, rounds: number, abort: () => Promise<Abort>): Promise<Figure> {
  await abort(); // the first run loads the code
  const aborts: Abort[] = [];
  for (let round = 0; round < rounds; round++) aborts.push(await abort());
  const beyond = aborts.map(({ beyondMs }) => beyondMs);
  const settledMs = median(aborts.map((one) => one.settledMs));
  return figure(what, beyond, {
    target: TARGET,
    note: `slowest ${quantile(beyond, 1).toFixed(2)} ms; ${settledMs.toFixed(2)} ms with the leaf`,
  });
}

function iterationsPerMs(): number {
  const iterations = 20_000_000;
  busy(iterations / 20, 1);
  const start = nowMs();
  busy(iterations, 2);
  return iterations / (nowMs() - start);
}

export const abort: Benchmark = {
  name: 'abort',
  says: 'how long an aborted invocation takes to settle after its last leaf has ended, P=2.',
  notFor:
    'leaves that never end: nothing can stop a running leaf. There is no sequential version: a loop cannot be aborted.',
  async measure(setup) {
    const pool = new ForkJoinPool({ parallelism: 2 });
    try {
      await pool.ready();
      const perMs = iterationsPerMs();
      const { rounds } = effort(setup, ROUNDS);
      return [
        await figuresOf('leaves of 5 ms', rounds, () => abortLeaves(pool, 5, perMs)),
        await figuresOf('leaves of 0.05 ms', rounds, () => abortLeaves(pool, 0.05, perMs)),
        await figuresOf(`fib(${LONG_FIB}), a task for every call`, rounds, () => abortFib(pool)),
      ];
    } finally {
      await pool.close();
    }
  },
};
