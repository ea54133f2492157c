/** Compares the algorithms with native programs that do the same work, at P=2; runs on the main thread and in a pool. */
import {
  ForkJoinPool,
  free,
  parallelFilter,
  parallelFor,
  parallelForRange,
  parallelHistogram,
  parallelReduce,
  parallelScan,
  parallelSort,
  sharedArray,
} from 'furcate';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { type Candidate, compare, of } from '../harness/compare.js';
import { type AnchorReference, atMost, type Bound, beside, type Figure, figure } from '../harness/figure.js';
import { median } from '../harness/median.js';
import { mandelbrotRow, plainMandelbrot } from './mandelbrot.js';
import { fillRandom, fillRandomWords } from './random-keys.js';

const ELEMENTS = 10_000_000;
const SUMMED = 50_000_000;
const WIDTH = 1500;
const HEIGHT = 1000;
const ROUNDS = 15;
/** Calls before any is timed. V8 compiles on the cores that the benchmark uses, and is done after about forty calls. */
const WARM_UPS = 40;

/** A piece of work, done by the library, by a plain loop and by native programs. */
interface Work {
  readonly what: string;
  /** Bytes read and written, each counted once: the least that memory has to move. */
  readonly bytes: number;
  readonly ours: Candidate;
  readonly plain: Candidate | undefined;
  readonly anchors: readonly AnchorReference[];
}

const anchor = (system: string, workload: string, target?: Bound): AnchorReference => ({
  system,
  workload,
  threads: 2,
  ...(target === undefined ? {} : { target }),
});

/** Times only `run`. `answer` turns its result into a value that can be compared. */
function timed<T>(
  name: string,
  expected: unknown,
  prepare: () => void,
  run: () => T | Promise<T>,
  answer: (result: T) => unknown,
): Candidate {
  return {
    name,
    expected,
    async run() {
      prepare();
      const start = performance.now();
      const result = await run();
      const ms = performance.now() - start;
      return { ms, answer: answer(result) };
    },
  };
}

const nothing = (): void => {};

/** A hash of the elements and their places. */
function digest(xs: ArrayLike<number>): number {
  let sum = xs.length;
  for (let i = 0; i < xs.length; i++) sum = (Math.imul(sum, 31) + xs[i] * 4294967296 + xs[i]) | 0;
  return sum;
}

function plainScan(xs: Float64Array, out: Float64Array): Float64Array {
  let sum = 0;
  for (let i = 0; i < xs.length; i++) {
    sum += xs[i];
    out[i] = sum;
  }
  return out;
}

function plainHistogram(xs: Uint32Array): Uint32Array {
  const counts = new Uint32Array(256);
  for (let i = 0; i < xs.length; i++) counts[xs[i] >>> 24]++;
  return counts;
}

/** Distance between the elements of a scan's result that each call checks. The sample is small, so that it does not disturb the caches. */
const SAMPLE_STEP = 997;

function clearSample(out: Float64Array): void {
  for (let i = out.length - 1; i >= 0; i -= SAMPLE_STEP) out[i] = -1;
}

/** Whether a scan is right. The library adds in another order than a loop, so the last bits may differ. */
function isNear(xs: Float64Array, ys: Float64Array, step = SAMPLE_STEP): boolean {
  for (let i = ys.length - 1; i >= 0; i -= step) if (!(Math.abs(xs[i] - ys[i]) <= 1e-9 * Math.abs(ys[i]))) return false;
  return true;
}

const sizes = ({ short }: Setup) => ({
  n: short ? ELEMENTS / 10 : ELEMENTS,
  summed: short ? SUMMED / 10 : SUMMED,
});

async function* works(pool: ForkJoinPool, setup: Setup): AsyncGenerator<Work> {
  const { n, summed } = sizes(setup);
  const ramp = sharedArray(Float64Array, summed);
  for (let i = 0; i < summed; i++) ramp[i] = (i % 1000) * 0.5;
  const total = ramp.reduce((a, b) => a + b, 0);
  yield {
    what: `sum of ${summed.toExponential()} float64`,
    bytes: 8 * summed,
    ours: timed(
      'ours',
      total,
      nothing,
      () => parallelReduce(ramp, 'sum', { pool }),
      (sum) => sum,
    ),
    plain: timed(
      'plain',
      total,
      nothing,
      () => {
        let sum = 0;
        for (let i = 0; i < ramp.length; i++) sum += ramp[i];
        return sum;
      },
      (sum) => sum,
    ),
    anchors: [anchor('tbb', 'sum', atMost(0.6)), anchor('rayon', 'sum'), anchor('java', 'sum')],
  };
  free(ramp);

  const keys = sharedArray(Float64Array, n);
  fillRandom(keys);
  const out = sharedArray(Float64Array, n);
  const prefixes = plainScan(keys, new Float64Array(n));
  const whole = await parallelScan(keys, 'sum', { into: out, pool });
  if (!isNear(whole, prefixes, 1)) throw new Error('A scan is wrong.');
  yield {
    what: `scan of ${n.toExponential()} float64`,
    bytes: 16 * n,
    ours: timed(
      'ours',
      true,
      () => clearSample(out),
      () => parallelScan(keys, 'sum', { into: out, pool }),
      (sums) => isNear(sums, prefixes),
    ),
    plain: timed(
      'plain',
      true,
      () => clearSample(out),
      () => plainScan(keys, out),
      (sums) => isNear(sums, prefixes),
    ),
    anchors: [anchor('tbb', 'scan', atMost(1)), anchor('java', 'scan')],
  };

  const kept = digest(keys.filter((x) => x < 0.5));
  yield {
    what: `filter of ${n.toExponential()} float64`,
    bytes: 12 * n,
    ours: timed(
      'ours',
      kept,
      nothing,
      () => parallelFilter(keys, (x) => x < 0.5, { pool }),
      (xs) => {
        const seen = digest(xs);
        free(xs);
        return seen;
      },
    ),
    plain: timed('plain', kept, nothing, () => keys.filter((x) => x < 0.5), digest),
    anchors: [anchor('rayon', 'filter', atMost(0.5))],
  };
  yield {
    what: `filter of ${n.toExponential()} float64, by a function that must be called`,
    bytes: 12 * n,
    ours: timed(
      'ours',
      kept,
      nothing,
      () => parallelFilter(keys, (x) => x * x < 0.25, { pool }),
      (xs) => {
        const seen = digest(xs);
        free(xs);
        return seen;
      },
    ),
    plain: timed('plain', kept, nothing, () => keys.filter((x) => x * x < 0.25), digest),
    anchors: [anchor('rayon', 'filter')],
  };

  const sorted = digest(Float64Array.from(keys).sort());
  yield {
    what: `sort of ${n.toExponential()} float64`,
    bytes: 16 * n,
    ours: timed(
      'ours',
      sorted,
      () => out.set(keys),
      () => parallelSort(out, { pool }),
      digest,
    ),
    plain: timed(
      'plain',
      sorted,
      () => out.set(keys),
      () => out.sort(),
      digest,
    ),
    anchors: [
      anchor('ips4o', 'sort-f64', atMost(0.65)),
      anchor('rayon', 'sort-f64'),
      { ...anchor('vqsort', 'sort-f64'), threads: 1 },
    ],
  };
  free(out);

  const words = sharedArray(Uint32Array, n);
  fillRandomWords(words);
  const counts = digest(plainHistogram(words));
  yield {
    what: `histogram of ${n.toExponential()} uint32`,
    bytes: 4 * n,
    ours: timed(
      'ours',
      counts,
      nothing,
      () => parallelHistogram(words, { bins: 256, min: 0, max: 2 ** 32, pool }),
      digest,
    ),
    plain: timed('plain', counts, nothing, () => plainHistogram(words), digest),
    anchors: [anchor('rayon', 'histogram', atMost(1.2))],
  };
  const shuffled = sharedArray(Uint32Array, n);
  const sortedWords = digest(Uint32Array.from(words).sort());
  yield {
    what: `sort of ${n.toExponential()} uint32`,
    bytes: 8 * n,
    ours: timed(
      'ours',
      sortedWords,
      () => shuffled.set(words),
      () => parallelSort(shuffled, { pool }),
      digest,
    ),
    plain: timed(
      'plain',
      sortedWords,
      () => shuffled.set(words),
      () => shuffled.sort(),
      digest,
    ),
    anchors: [anchor('rayon', 'sort-u32', atMost(0.4)), anchor('ips4o', 'sort-u32')],
  };
  free(words);
  free(shuffled);
  free(keys);

  const image = sharedArray(Int32Array, WIDTH * HEIGHT);
  const drawn = digest(plainMandelbrot(new Int32Array(WIDTH * HEIGHT), WIDTH, HEIGHT));
  const context = { image, width: WIDTH, height: HEIGHT, mandelbrotRow };
  yield {
    what: `mandelbrot of ${WIDTH} x ${HEIGHT}`,
    bytes: 0,
    ours: timed(
      'ours',
      drawn,
      () => image.fill(0),
      async () => {
        await parallelFor(
          HEIGHT,
          (y, { image, width, height, mandelbrotRow }) => mandelbrotRow(image, width, height, y),
          { context, pool },
        );
        return image;
      },
      digest,
    ),
    plain: timed(
      'plain',
      drawn,
      () => image.fill(0),
      () => plainMandelbrot(image, WIDTH, HEIGHT),
      digest,
    ),
    anchors: [anchor('java', 'mandelbrot', atMost(1.1)), anchor('rayon', 'mandelbrot')],
  };
  free(image);
}

/** The rate at which all threads together copy memory (bytes read and written, per millisecond). */
async function copyRate(pool: ForkJoinPool, setup: Setup): Promise<{ rate: number; figure: Figure }> {
  const { n } = sizes(setup);
  const from = sharedArray(Float64Array, n).fill(1);
  const to = sharedArray(Float64Array, n).fill(2);
  const copy = timed(
    'copy',
    true,
    nothing,
    () =>
      parallelForRange(n, (lo, hi, { from, to }) => to.set(from.subarray(lo, hi), lo), {
        context: { from, to },
        pool,
        threshold: 65_536,
      }),
    () => to[n - 1] === 1,
  );
  const times = of(await compare([copy], effort(setup, ROUNDS, WARM_UPS)), 'copy');
  free(from);
  free(to);
  const rate = (16 * n) / median(times);
  return {
    rate,
    figure: figure(`copy of ${n.toExponential()} float64`, times, {
      note: `${(rate / 1e6).toFixed(1)} GB/s read and written`,
    }),
  };
}

/**
 * Runs all rounds of the library first, as the native programs do, and then those of the plain loop. When the two ran in turn, a
 * filter took twice as long, because other threads collected the plain loop's arrays meanwhile.
 */
async function figuresOf({ what, bytes, ours, plain, anchors }: Work, rate: number, setup: Setup): Promise<Figure[]> {
  const times = of(await compare([ours], effort(setup, ROUNDS, WARM_UPS)), 'ours');
  const plainTimes = plain === undefined ? [] : of(await compare([plain], effort(setup, ROUNDS, 1)), 'plain');
  const share = bytes === 0 ? '' : `${((100 * bytes) / median(times) / rate).toFixed(0)} % of a copy's bandwidth`;
  return [
    figure(what, times, {
      comparisons: plain === undefined ? [] : [beside('plain loop', times, plainTimes)],
      // The native programs do the work at full size, so a shorter run cannot be compared with them.
      anchors: setup.short ? [] : anchors,
      ...(share === '' ? {} : { note: share }),
    }),
  ];
}

export const natives: Benchmark = {
  name: 'natives',
  says: 'how fast the algorithms are at P=2, compared with TBB, Rayon, Java, IPS4o and vqsort on the same data.',
  notFor: 'more threads, other sizes and types, and arrays that are not shared, which are copied.',
  async measure(setup) {
    const pool = new ForkJoinPool({ parallelism: 2 });
    try {
      await pool.ready();
      const { rate, figure: copy } = await copyRate(pool, setup);
      const figures = [copy];
      for await (const work of works(pool, setup)) figures.push(...(await figuresOf(work, rate, setup)));
      return figures;
    } finally {
      await pool.close();
    }
  },
};
