// Does a workload forty times with two bare workers, in a fresh process. The first call makes the workers.
// The functions of `WORK` are sent to the workers as text.
import { BareTeam } from './bare-team.mjs';
import { timeCalls, WORKLOADS } from './workloads.mjs';

const BLOCK = 65_536;

const WORK = {
  /** Four sums at a time, because a single one would wait for each addition. */
  sum: ({ xs, block }, take) => {
    function sumOf(lo, hi) {
      let a = 0;
      let b = 0;
      let c = 0;
      let d = 0;
      let i = lo;
      for (; i + 3 < hi; i += 4) {
        a += xs[i];
        b += xs[i + 1];
        c += xs[i + 2];
        d += xs[i + 3];
      }
      for (; i < hi; i++) a += xs[i];
      return a + b + (c + d);
    }
    return () => {
      let sum = 0;
      for (let lo = take() * block; lo < xs.length; lo = take() * block) {
        sum += sumOf(lo, Math.min(lo + block, xs.length));
      }
      return sum;
    };
  },

  /** Phase 0 sums each block. Phase 1 scans each block, from the sum of all blocks before it. */
  scan: ({ xs, out, sums, block }, take) => {
    function sumOf(lo, hi) {
      let sum = 0;
      for (let i = lo; i < hi; i++) sum += xs[i];
      return sum;
    }
    function scanBlock(lo, hi, before) {
      let sum = before;
      for (let i = lo; i < hi; i++) {
        sum += xs[i];
        out[i] = sum;
      }
    }
    return (phase) => {
      for (let b = take(); b < sums.length; b = take()) {
        const hi = Math.min((b + 1) * block, xs.length);
        if (phase === 0) sums[b] = sumOf(b * block, hi);
        else scanBlock(b * block, hi, sums[b]);
      }
    };
  },

  map: ({ xs, out, block }, take) => {
    function mapBlock(lo, hi) {
      for (let i = lo; i < hi; i++) out[i] = xs[i] * 2 + 1;
    }
    return () => {
      for (let lo = take() * block; lo < xs.length; lo = take() * block) mapBlock(lo, Math.min(lo + block, xs.length));
    };
  },

  /** Filters each block into scratch memory without branches, then copies the kept elements to their places. */
  filter: ({ xs, kept, counts, block }, take) => {
    function filterBlock(lo, hi) {
      let at = lo;
      for (let i = lo; i < hi; i++) {
        const x = xs[i];
        kept[at] = x;
        at += (x < 0.5) | 0; // an addition, because an unpredictable branch takes five times as long
      }
      return at - lo;
    }
    return (into) => {
      for (let b = take(); b < counts.length; b = take()) {
        const lo = b * block;
        if (into === 0) counts[b] = filterBlock(lo, Math.min(lo + block, xs.length));
        else into.out.set(kept.subarray(lo, lo + counts[b]), into.offsets[b]);
      }
    };
  },

  /** One table with four counters for each bin, used in turn, so that no increment waits for the one before it. */
  histogram: ({ xs, block }, take) => {
    function countBlock(counts, lo, hi) {
      let i = lo;
      for (; i + 3 < hi; i += 4) {
        counts[(xs[i] >>> 24) * 4]++;
        counts[(xs[i + 1] >>> 24) * 4 + 1]++;
        counts[(xs[i + 2] >>> 24) * 4 + 2]++;
        counts[(xs[i + 3] >>> 24) * 4 + 3]++;
      }
      for (; i < hi; i++) counts[(xs[i] >>> 24) * 4]++;
    }
    return () => {
      const counts = new Uint32Array(4 * 256);
      for (let lo = take() * block; lo < xs.length; lo = take() * block) {
        countBlock(counts, lo, Math.min(lo + block, xs.length));
      }
      return counts;
    };
  },

  /** Numbers the calls of fib below a cut-off, and takes them by number. */
  fib: (_data, take) => {
    const CUT_OFF = 20;
    const parts = (n) => (n <= CUT_OFF ? [n] : [...parts(n - 1), ...parts(n - 2)]);
    const ns = parts(32);
    function fib(n) {
      return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }
    return () => {
      let sum = 0;
      for (let k = take(); k < ns.length; k = take()) sum += fib(ns[k]);
      return sum;
    };
  },
};

const shared = (Type, n) => new Type(new SharedArrayBuffer(n * Type.BYTES_PER_ELEMENT));
const blocksOf = (xs) => Math.ceil(xs.length / BLOCK);

/** Further arrays that the workers share, by workload. */
const EXTRAS = {
  scan: ({ xs }) => ({ sums: shared(Float64Array, blocksOf(xs)) }),
  filter: ({ xs }) => ({ kept: shared(Float64Array, xs.length), counts: shared(Int32Array, blocksOf(xs)) }),
};

/** Replaces each number by the sum of those before it, and returns the sum of all. */
function sumsBefore(xs) {
  let sum = 0;
  for (let i = 0; i < xs.length; i++) {
    const x = xs[i];
    xs[i] = sum;
    sum += x;
  }
  return sum;
}

const CALLS = {
  async sum(team) {
    const [a, b] = await team.run();
    return a + b;
  },
  async scan(team, { sums, out }) {
    await team.run();
    sumsBefore(sums);
    await team.run(1);
    return out;
  },
  async map(team, { out }) {
    await team.run();
    return out;
  },
  async filter(team, { counts }) {
    await team.run();
    const offsets = Int32Array.from(counts);
    const out = shared(Float64Array, sumsBefore(offsets));
    await team.run({ out, offsets });
    return out;
  },
  async histogram(team) {
    const [a, b] = await team.run();
    return Uint32Array.from({ length: 256 }, (_, bin) => {
      let count = 0;
      for (let k = 4 * bin; k < 4 * bin + 4; k++) count += a[k] + b[k];
      return count;
    });
  },
  async fib(team) {
    const [a, b] = await team.run();
    return a + b;
  },
};

const name = process.argv[2];
const workload = WORKLOADS[name];
const opened = workload.open(shared);
const data = { ...opened, ...EXTRAS[name]?.(opened), block: BLOCK };
let team;
await timeCalls(workload, data, () => {
  team ??= new BareTeam(WORK[name], data);
  return CALLS[name](team, data);
});
team.unref();
