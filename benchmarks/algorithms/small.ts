/** Measures what a call costs when there is little or no work to share; runs on the main thread and in pools. */
import { ForkJoinPool } from 'furcate';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { type Candidate, compare, of } from '../harness/compare.js';
import { atMost, beside, type Figure, figure } from '../harness/figure.js';
import { median } from '../harness/median.js';
import { shortNumber } from '../harness/table.js';
import { type Case, makeCases } from './small-cases.js';

const LENGTHS = [10, 1_000, 100_000];
const ROUNDS = 25;

/** Target duration of a sample (ms). A sample is many calls in a row, because a single call is too short for the clock. */
const SAMPLE_MS = 0.5;
/** Most calls in a sample. */
const MAX_CALLS = 200;

/** Each candidate is called for this long (ms), or this many times, before any is timed. */
const WARM_UP_MS = 30;
const WARM_UP_CALLS = 3000;

/** Target of a form: at most this multiple of the plain time, plus this many microseconds. */
const MOST_SHARE = 1.1;
const MOST_US = 2;

const PLAIN = 'plain';

type Work = () => unknown;

/** A text that depends on every element of a result. */
function contents(value: unknown): string {
  if (Array.isArray(value)) return value.map(contents).join(' | ');
  if (!ArrayBuffer.isView(value)) return String(value);
  const xs = value as Float64Array;
  let hash = 0;
  for (let i = 0; i < xs.length; i++) hash = (Math.imul(hash, 31) + Math.imul(i + 1, xs[i] * 2)) | 0;
  return `${xs.length}: ${hash}`;
}

/** Calls `work` several times, one call after the other. The last result is the answer. */
async function repeat(work: Work, calls: number): Promise<{ ms: number; answer: unknown }> {
  const start = performance.now();
  let result: unknown;
  for (let call = 0; call < calls; call++) {
    result = work();
    if (result instanceof Promise) result = await result;
  }
  return { ms: (performance.now() - start) / calls, answer: result };
}

const repeated = (name: string, expected: string, calls: number, work: Work, spoil: () => void): Candidate => ({
  name,
  expected,
  async run() {
    spoil();
    const { ms, answer } = await repeat(work, calls);
    return { ms, answer: contents(answer) };
  },
});

/** Gives V8 time to compile the code of the calls, and the library time to measure their cost. */
async function warmUp(works: readonly Work[]): Promise<void> {
  for (const work of works) {
    const end = performance.now() + WARM_UP_MS;
    for (let calls = 0; calls < WARM_UP_CALLS && performance.now() < end; calls += 10) await repeat(work, 10);
  }
}

/** The figure of the form that is slowest relative to the plain loop. Its note lists all forms. */
async function worstOf(
  { name, plain, promise, sync }: Case,
  spoil: () => void,
  pools: readonly ForkJoinPool[],
  setup: Setup,
): Promise<Figure> {
  const works = new Map<string, Work>([[PLAIN, plain]]);
  for (const pool of pools) {
    works.set(`promise, P=${pool.parallelism}`, () => promise(pool));
    works.set(`Sync, P=${pool.parallelism}`, () => sync(pool));
  }
  await warmUp([...works.values()]);
  const { ms } = await repeat(plain, 10);
  const calls = Math.max(1, Math.min(MAX_CALLS, Math.round(SAMPLE_MS / ms)));
  const expected = contents(plain());
  const candidates = [...works].map(([form, work]) => repeated(form, expected, calls, work, spoil));
  const samples = await compare(candidates, effort(setup, ROUNDS, 3));
  const us = (form: string): number[] => of(samples, form).map((ms) => ms * 1000);
  const plainUs = us(PLAIN);
  const target = atMost(MOST_SHARE + MOST_US / median(plainUs));
  const forms = [...works.keys()].filter((form) => form !== PLAIN);
  const compared = forms.map((form) => ({
    form,
    comparison: beside(`plain ${shortNumber(median(plainUs))} us`, us(form), plainUs, target),
  }));
  const worst = compared.reduce((a, b) => (b.comparison.ratio > a.comparison.ratio ? b : a));
  return figure(`${name}, ${worst.form}`, us(worst.form), {
    unit: 'us',
    comparisons: [worst.comparison],
    note: forms.map((form) => shortNumber(median(us(form)))).join(', '),
  });
}

export const small: Benchmark = {
  name: 'small',
  says:
    'what a call costs when there is little work to share: the slowest of four forms, compared with a plain loop. The ' +
    'target is 1.1 times the loop plus 2 us. In brackets all four: promise and Sync on one worker, promise and Sync on two.',
  notFor: 'speed-up, first calls, and results in new shared arrays that could go into an existing one.',
  async measure(setup) {
    const pools = [new ForkJoinPool({ parallelism: 1 }), new ForkJoinPool({ parallelism: 2 })];
    try {
      for (const pool of pools) await pool.ready();
      const figures: Figure[] = [];
      for (const n of LENGTHS) {
        const { cases, spoil } = makeCases(n);
        for (const each of cases) {
          const name = `${each.name} of ${n.toLocaleString('en')}`;
          figures.push(await worstOf({ ...each, name }, spoil, pools, setup));
        }
      }
      return figures;
    } finally {
      for (const pool of pools) await pool.close();
    }
  },
};
