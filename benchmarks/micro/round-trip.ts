/** Measures an empty task to a worker and back, compared with pools that send messages; runs on the main thread and in pools. */
import { setTimeout as pause } from 'node:timers/promises';
import { ForkJoinPool } from 'furcate';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { type Candidate, checkAnswer, compare, of, type Samples } from '../harness/compare.js';
import { atMost, beside, type Figure, figure } from '../harness/figure.js';
import { median } from '../harness/median.js';
import { bareMessages, type Rival, rivalPools } from '../rivals/pools.js';
import { Next, next } from '../tasks/next.mjs';

const THREADS = 2;
const ROUNDS = 25;

/** Round trips in a sample, back to back. */
const TRIPS = 300;

/** Round trips in a sample with a pause before each, and the pause (ms): longer than any pool spins. */
const RESTED_TRIPS = 20;
const PAUSE_MS = 3;

/** Target: share of the best rival's time. */
const TARGET = atMost(0.6);

/** Round trips without a pause. Each trip adds 1, so the right answer is the number of trips. */
const backToBack = ({ name, next }: Rival, trips: number): Candidate => ({
  name,
  expected: trips,
  async run() {
    let n = 0;
    const start = performance.now();
    for (let i = 0; i < trips; i++) n = await next(n);
    return { ms: (performance.now() - start) / trips, answer: n };
  },
});

const afterPauses = ({ name, next }: Rival, trips: number): Candidate => ({
  name,
  expected: trips,
  async run() {
    const times: number[] = [];
    for (let n = 0; n < trips; ) {
      await pause(PAUSE_MS);
      const start = performance.now();
      const answer = await next(n);
      times.push(performance.now() - start);
      checkAnswer(name, answer, ++n);
    }
    return { ms: median(times), answer: times.length };
  },
});

interface Field {
  readonly ours: readonly Rival[];
  readonly rivals: readonly Rival[];
  readonly bare: Rival;
}

const all = ({ ours, rivals, bare }: Field): readonly Rival[] => [...ours, ...rivals, bare];

const inUs = (times: readonly number[]): number[] => times.map((ms) => ms * 1000);

function figures(
  manner: string,
  samples: Samples,
  { ours, rivals, bare }: Field,
  target: typeof TARGET | undefined,
): Figure[] {
  const timesOf = ({ name }: Rival): number[] => inUs(of(samples, name));
  const best = rivals.reduce((a, b) => (median(timesOf(a)) <= median(timesOf(b)) ? a : b));
  return [
    ...ours.map((own) =>
      figure(`${own.name}, ${manner}`, timesOf(own), {
        unit: 'us',
        comparisons: [beside(`${best.name}, the best`, timesOf(own), timesOf(best), target)],
      }),
    ),
    ...[...rivals, bare].map((rival) => figure(`${rival.name}, ${manner}`, timesOf(rival), { unit: 'us' })),
  ];
}

async function measureField(field: Field, setup: Setup): Promise<Figure[]> {
  const trips = setup.short ? 50 : TRIPS;
  const restedTrips = setup.short ? 5 : RESTED_TRIPS;
  const pressed = await compare(
    all(field).map((rival) => backToBack(rival, trips)),
    effort(setup, ROUNDS, 5),
  );
  const rested = await compare(
    all(field).map((rival) => afterPauses(rival, restedTrips)),
    effort(setup, ROUNDS, 1),
  );
  return [
    ...figures('back to back', pressed, field, TARGET),
    ...figures(`after ${PAUSE_MS} ms of rest`, rested, field, undefined),
  ];
}

export const roundTrip: Benchmark = {
  name: 'round-trip',
  says: `how long an empty task (n => n + 1) takes to a worker and back, ${THREADS} threads, one task at a time.`,
  notFor: 'many tasks in flight, and large arguments, which rivals clone while this library shares arrays.',
  async measure(setup) {
    const pool = new ForkJoinPool({ parallelism: THREADS });
    const close = async (): Promise<void> => {};
    const field: Field = {
      ours: [
        { name: 'furcate, function task', next: (n) => pool.invoke(next, n), close },
        { name: 'furcate, class task', next: (n) => pool.invoke(new Next(n)), close },
      ],
      rivals: rivalPools(THREADS),
      bare: bareMessages(),
    };
    try {
      await pool.ready();
      return await measureField(field, setup);
    } finally {
      await Promise.all([pool.close(), ...all(field).map((rival) => rival.close())]);
    }
  },
};
