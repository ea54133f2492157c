/** Measures how well `profile` tells work and span, of trees of which both are known; runs on the main thread and in pools. */
import { ForkJoinPool } from 'furcate';
import { profile } from 'furcate/insight';
import type { Benchmark, Setup } from '../harness/benchmark.js';
import { atMost, type Figure, figure } from '../harness/figure.js';
import { balanced, chain, flat, flatOwnUs, leafUs, skewed } from '../tasks/known-trees.mjs';

const FORKS = 60;
/** Leaves, and leaves on the span. */
const TREES = [
  { name: 'balanced(6)', tree: balanced, size: 6, leaves: 64, onSpan: 1 },
  { name: 'skewed(9)', tree: skewed, size: 9, leaves: 55, onSpan: 1 },
  { name: 'flat(60)', tree: flat, size: FORKS, leaves: FORKS, onSpan: 1 },
  { name: 'chain(30)', tree: chain, size: 30, leaves: 61, onSpan: 31 },
] as const;

/** What a leaf takes (us). */
const LEAVES = [130, 500, 20];
const WORK_ERROR = 7;
const SPAN_ERROR = 5;
const CALIBRATIONS = 400;
/** Calls that `profile` makes at least. */
const PROFILED_CALLS = 17;

const percent = (measured: number, known: number): number => 100 * Math.abs(measured / known - 1);

async function measureOn(pool: ForkJoinPool, { short, rounds = short ? 1 : 3 }: Setup): Promise<Figure[]> {
  await pool.invoke(leafUs, 100_000, CALIBRATIONS);
  const own: number[] = [];
  for (let call = 0; call < CALIBRATIONS; call++) own.push(await pool.invoke(flatOwnUs, FORKS));
  const figures = [
    figure(
      `P=${pool.parallelism}, flat(${FORKS}): its forks and joins by themselves, without profile`,
      [Math.min(...own.slice(0, PROFILED_CALLS))],
      {
        unit: 'us',
        note: `least of ${PROFILED_CALLS} calls, as a profile has; of ${CALIBRATIONS}: ${Math.min(...own).toFixed(1)} us. They are on its span, beside a leaf`,
      },
    ),
  ];
  for (const us of LEAVES) {
    const iterations = Math.round((us * 100_000) / (await pool.invoke(leafUs, 100_000, CALIBRATIONS)));
    for (const { name, tree, size, leaves, onSpan } of TREES) {
      const [work, span, ratios]: number[][] = [[], [], []];
      let note = '';
      for (let round = 0; round < rounds; round++) {
        const report = await profile(() => pool.invoke(tree, size, iterations), short ? { runs: 3 } : {});
        const leaf = await pool.invoke(leafUs, iterations, CALIBRATIONS);
        work?.push(percent(report.work, leaves * leaf));
        span?.push(percent(report.span, onSpan * leaf));
        ratios?.push(report.burdenedSpan / report.span);
        note = `${report.precision}; a steal ${report.stealCost.toFixed(1)} us, c = ${report.c.toFixed(2)}`;
      }
      const what = `P=${pool.parallelism}, ${name}, leaves of ${us} us`;
      const target = (percent: number): object => (us < 100 ? {} : { target: atMost(percent) });
      figures.push(
        figure(`${what}: error of the work`, work ?? [], { unit: '%', ...target(WORK_ERROR) }),
        figure(`${what}: error of the span`, span ?? [], { unit: '%', note, ...target(SPAN_ERROR) }),
      );
    }
  }
  return figures;
}

export const workSpan: Benchmark = {
  name: 'work-span',
  says: 'by how much the work and span that `profile` measures differ from those of trees whose leaves were timed alone.',
  notFor: 'programs whose tasks are shorter than some ten microseconds: let them charge what they cost.',
  async measure(setup) {
    const pools = [1, 2].map((parallelism) => new ForkJoinPool({ parallelism }));
    try {
      const figures: Figure[] = [];
      for (const pool of pools) figures.push(...(await measureOn(pool, setup)));
      return figures;
    } finally {
      await Promise.all(pools.map((pool) => pool.close()));
    }
  },
};
