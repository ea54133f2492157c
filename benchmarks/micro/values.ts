/** Measures a map over plain objects, compared with pools that send a message for each; runs on the main thread and in pools. */
import { ForkJoinPool, parallelMap } from 'furcate';
import { Piscina } from 'piscina';
import { Tinypool } from 'tinypool';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { type Candidate, candidate, compare, of } from '../harness/compare.js';
import { atMost, beside, type Figure, figure } from '../harness/figure.js';
import { median } from '../harness/median.js';
import { type Crunchable, crunch } from '../tasks/crunch.mjs';
import { roundsPerUs } from './crunch-rate.js';

const THREADS = 2;

/** How long a call takes (us), how many there are, rounds, and the target: share of the better rival's time. */
const CASES = [
  { us: 10, objects: 10_000, rounds: 15, target: atMost(0.2) },
  { us: 100, objects: 10_000, rounds: 7, target: atMost(0.5) },
  { us: 1_000, objects: 1_000, rounds: 7, target: atMost(1.05) },
  { us: 10_000, objects: 200, rounds: 5, target: atMost(1.05) },
] as const;

type Answers = readonly { readonly odd: boolean }[];

const odd = (answers: Answers): number => answers.filter((answer) => answer.odd).length;

const objectsOf = (count: number, rounds: number): Crunchable[] =>
  Array.from({ length: count }, (_, id) => ({ id, name: `object ${id}`, rounds }));

interface Rival {
  readonly name: string;
  run(value: Crunchable): Promise<{ readonly odd: boolean }>;
  destroy(): Promise<unknown>;
}

function rivals(): Rival[] {
  const filename = new URL('../rivals/crunch-worker.mjs', import.meta.url).href;
  const options = { filename, minThreads: THREADS, maxThreads: THREADS };
  const piscina = new Piscina(options);
  const tinypool = new Tinypool(options);
  return [
    { name: 'piscina', run: (value) => piscina.run(value), destroy: () => piscina.destroy() },
    { name: 'tinypool', run: (value) => tinypool.run(value), destroy: () => tinypool.destroy() },
  ];
}

async function measureCase(
  { us, objects, rounds, target }: (typeof CASES)[number],
  pool: ForkJoinPool,
  others: readonly Rival[],
  setup: Setup,
  perUs: number,
): Promise<Figure[]> {
  const values = objectsOf(setup.short ? objects / 10 : objects, Math.round(us * perUs));
  const expected = odd(values.map(crunch));
  const own = 'parallelMap';
  const loop = 'a plain loop';
  const candidates: Candidate[] = [
    candidate(own, expected, async () => odd(await parallelMap(values, crunch, { pool }))),
    candidate(loop, expected, () => odd(values.map(crunch))),
    ...others.map(({ name, run }) =>
      candidate(name, expected, async () => odd(await Promise.all(values.map((value) => run(value))))),
    ),
  ];
  const samples = await compare(candidates, effort(setup, rounds));
  const times = (name: string): readonly number[] => of(samples, name);
  const best = others.reduce((a, b) => (median(times(a.name)) <= median(times(b.name)) ? a : b));
  const what = (name: string): string => `${name}, ${values.length} calls of ${us} us`;
  return [
    figure(what(own), times(own), {
      comparisons: [
        beside(`${best.name}, the better one`, times(own), times(best.name), target),
        beside(loop, times(own), times(loop)),
      ],
    }),
    ...[loop, ...others.map(({ name }) => name)].map((name) => figure(what(name), times(name))),
  ];
}

export const values: Benchmark = {
  name: 'values',
  says: `how long a map over small objects takes on ${THREADS} threads, for calls of several lengths, beside pools that are given all objects at once.`,
  notFor: 'large values, where copies count, and calls that wait.',
  async measure(setup) {
    const pool = new ForkJoinPool({ parallelism: THREADS });
    const others = rivals();
    try {
      await pool.ready();
      const perUs = roundsPerUs();
      const figures: Figure[] = [];
      for (const one of CASES) figures.push(...(await measureCase(one, pool, others, setup, perUs)));
      return figures;
    } finally {
      await Promise.all([pool.close(), ...others.map((rival) => rival.destroy())]);
    }
  },
};
