/** Measures the import of the library and the start of a pool; runs on the main thread. */
import { type Benchmark, effort } from '../harness/benchmark.js';
import { type Candidate, compare, of } from '../harness/compare.js';
import { atMost, beside, type Figure, figure } from '../harness/figure.js';
import { bare, builds, type Program } from './fresh-process.js';

const ROUNDS = 9;

const candidateOf = (name: string, expected: number, run: Program): Candidate => ({ name, expected, run: () => run() });

/** B, the unit of the figures: two bare workers have both answered a message. */
export const BARE_START = candidateOf('B', 2, bare('bare-start.mjs', 'nothing'));

export const load: Benchmark = {
  name: 'load',
  says: 'how long a fresh process takes for the import, and from `new ForkJoinPool({ parallelism: 2 })` to the first result.',
  notFor: 'bundles for browsers, which must be downloaded first, and a second pool of the same process.',
  comparesBuilds: true,
  async measure(setup) {
    const all = builds(setup);
    const samples = await compare(
      [
        BARE_START,
        candidateOf('bare module', 2, bare('bare-start.mjs', 'module')),
        ...all.flatMap((build) => [
          candidateOf(`import, ${build.name}`, 0, build.program('library-import.mjs')),
          candidateOf(`start, ${build.name}`, 2, build.program('library-start.mjs')),
        ]),
      ],
      effort(setup, ROUNDS, 1),
    );
    const b = of(samples, 'B');
    const bareModule = of(samples, 'bare module');
    const [ours, ...others] = all.map(({ name }) => ({
      name,
      imports: of(samples, `import, ${name}`),
      starts: of(samples, `start, ${name}`),
    }));
    const figures = [ours, ...others].flatMap(({ name, imports, starts }): Figure[] => [
      figure(`import, ${name}`, imports, {
        comparisons: [
          beside('B', imports, b, atMost(0.22)),
          ...(name === ours.name ? others.map((other) => beside(other.name, imports, other.imports)) : []),
        ],
      }),
      figure(`pool start to first result of a task, ${name}`, starts, {
        comparisons: [
          beside('two bare workers that import', starts, bareModule, atMost(1.25)),
          beside('B', starts, b, atMost(1.45)),
          ...(name === ours.name ? others.map((other) => beside(other.name, starts, other.starts)) : []),
        ],
      }),
    ]);
    return [
      figure('B: two bare workers have both answered', b),
      figure('two bare workers that import a module of two files', bareModule),
      ...figures,
    ];
  },
};
