/** What a call costs where there is little or no work to share; runs on the main thread and in pools. */
import { ForkJoinPool } from 'furcate';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { type Candidate, compare, of } from '../harness/compare.js';
import { atMost, beside, type Figure, figure } from '../harness/figure.js';
import { median } from '../harness/median.js';
import { shortNumber } from '../harness/table.js';
import { type Case, makeCases } from './small-cases.js';

const LENGTHS = [10, 1_000, 100_000];
const ROUNDS = 25;

/** A sample is as many calls in a row as take about so long: single ones are too short for the clock. */
const SAMPLE_MS = 0.5;
const MAX_CALLS = 200;

/** Calls of each candidate before any is timed. */
const WARM_UP_MS = 30;
const WARM_UP_CALLS = 3000;

/** At most so many times the plain time, and so many microseconds. */
const MOST_SHARE = 1.1;
const MOST_US = 2;

const PLAIN = 'plain';

type Work = () => unknown;

/** What a result holds, as text: every element counts. */
function contents(value: unknown): string {
  if (Array.isArray(value)) return value.map(contents).join(' | ');
  if (!ArrayBuffer.isView(value)) return String(value);
  const xs = value as Float64Array;
  let hash = 0;
  for (let i = 0; i < xs.length; i++) hash = (Math.imul(hash, 31) + Math.imul(i + 1, xs[i] * 2)) | 0;
  return `${xs.length}: ${hash}`;
}

/** Calls of `work`, one after the other; the last result is the answer. */
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

/** Has V8 compile all that the calls run, and the library measure what they cost. */
async function warmUp(works: readonly Work[]): Promise<void> {
  for (const work of works) {
    const end = performance.now() + WARM_UP_MS;
    for (let calls = 0; calls < WARM_UP_CALLS && performance.now() < end; calls += 10) await repeat(work, 10);
  }
}

/** The figure of the form that stands worst beside the plain twin; the note has all of them. */
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
    'what a call costs where there is little to share: the slowest of four forms beside its plain twin, which may be ' +
    'exceeded by a tenth and 2 us. In brackets the four: promise and Sync on one worker, the same on two.',
  notFor: 'speed-up, first calls, and results that are new shared arrays where they could go into one that there is.',
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
