/** Every algorithm beside the loop or built-in that one would write: the work of the benchmark `small`. */
import {
  type ForkJoinPool,
  parallelArgsort,
  parallelArgsortSync,
  parallelCount,
  parallelCountSync,
  parallelEvery,
  parallelEverySync,
  parallelFill,
  parallelFillSync,
  parallelFilter,
  parallelFilterSync,
  parallelFind,
  parallelFindIndex,
  parallelFindIndexSync,
  parallelFindSync,
  parallelFor,
  parallelForEach,
  parallelForEachSync,
  parallelForRange,
  parallelForRangeSync,
  parallelForSync,
  parallelHistogram,
  parallelHistogramSync,
  parallelIndexOf,
  parallelIndexOfSync,
  parallelMap,
  parallelMapSync,
  parallelMerge,
  parallelMergeSync,
  parallelMinMax,
  parallelMinMaxSync,
  parallelPartition,
  parallelPartitionSync,
  parallelReduce,
  parallelReduceByKey,
  parallelReduceByKeySync,
  parallelReduceSync,
  parallelScan,
  parallelScanSync,
  parallelSome,
  parallelSomeSync,
  parallelSort,
  parallelSortBy,
  parallelSortBySync,
  parallelSortSync,
  parallelTabulate,
  parallelTabulateSync,
  parallelTopK,
  parallelTopKSync,
  parallelUnique,
  parallelUniqueSync,
  sharedArray,
} from 'furcate';

/** One algorithm: all three give the same answer. */
export interface Case {
  readonly name: string;
  plain(): unknown;
  promise(pool: ForkJoinPool): Promise<unknown>;
  sync(pool: ForkJoinPool): unknown;
}

interface Item {
  readonly at: number;
  readonly weight: number;
}

/**
 * What one would write instead. Functions of their arrays, as in programs: V8 puts the address of an array that a closure
 * holds for ever into the code, which is twice as fast, and no code for more than one array.
 */
const plain = {
  roots(out: Float64Array): Float64Array {
    for (let i = 0; i < out.length; i++) out[i] = Math.sqrt(i) * 0.5;
    return out;
  },
  map(xs: Float64Array, out: Float64Array): Float64Array {
    for (let i = 0; i < xs.length; i++) out[i] = xs[i] * 2 + 1;
    return out;
  },
  forEach(xs: Float64Array, out: Float64Array): Float64Array {
    for (let i = 0; i < xs.length; i++) out[i] = xs[i] * 3;
    return out;
  },
  tabulate(out: Float64Array): Float64Array {
    for (let i = 0; i < out.length; i++) out[i] = i * 0.5 + 1;
    return out;
  },
  sum(xs: Float64Array): number {
    let sum = 0;
    for (let i = 0; i < xs.length; i++) sum += xs[i];
    return sum;
  },
  scan(xs: Float64Array, out: Float64Array): Float64Array {
    let sum = 0;
    for (let i = 0; i < xs.length; i++) {
      sum += xs[i];
      out[i] = sum;
    }
    return out;
  },
  count(xs: Float64Array): number {
    let count = 0;
    for (let i = 0; i < xs.length; i++) if (xs[i] * 0.5 > 1e5) count++;
    return count;
  },
  some(xs: Float64Array): boolean {
    for (let i = 0; i < xs.length; i++) if (xs[i] * 0.5 < -1) return true;
    return false;
  },
  every(xs: Float64Array): boolean {
    for (let i = 0; i < xs.length; i++) if (!(xs[i] * 0.5 >= 0)) return false;
    return true;
  },
  find(xs: Float64Array, wanted: number): number | undefined {
    for (let i = 0; i < xs.length; i++) if (xs[i] - wanted === 0) return xs[i];
    return undefined;
  },
  findIndex(xs: Float64Array): number {
    for (let i = 0; i < xs.length; i++) if (xs[i] * 0.5 < -1) return i;
    return -1;
  },
  minMax(xs: Float64Array): [number, number] {
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < xs.length; i++) {
      if (xs[i] < min) min = xs[i];
      if (xs[i] > max) max = xs[i];
    }
    return [min, max];
  },
  equalBins(xs: Float64Array): Uint32Array {
    const counts = new Uint32Array(64);
    for (let i = 0; i < xs.length; i++) counts[Math.floor((xs[i] * 64) / 2 ** 20)]++;
    return counts;
  },
  bins(xs: Float64Array): Uint32Array {
    const counts = new Uint32Array(64);
    for (let i = 0; i < xs.length; i++) counts[xs[i] & 63]++;
    return counts;
  },
  sumByKey(keys: Int32Array, xs: Float64Array): [Int32Array, Float64Array] {
    const sums = new Map<number, number>();
    for (let i = 0; i < keys.length; i++) sums.set(keys[i], (sums.get(keys[i]) ?? 0) + xs[i]);
    return [Int32Array.from(sums.keys()), Float64Array.from(sums.values())];
  },
  merge(a: Float64Array, b: Float64Array, out: Float64Array): Float64Array {
    let i = 0;
    let j = 0;
    for (let at = 0; at < out.length; at++) {
      out[at] = j === b.length || (i < a.length && a[i] <= b[j]) ? a[i++] : b[j++];
    }
    return out;
  },
};

/** Halves, below 2^20 in scattered order, so that sums are exact in any order; an ordinary array and a shared one. */
function scattered(n: number): [own: Float64Array, shared: Float64Array] {
  const own = Float64Array.from({ length: n }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) >>> 12) * 0.5);
  return [own, sharedArray(Float64Array, own)];
}

/**
 * The plain twins have ordinary arrays; ours have shared ones, which results go into. Where a result is a new array ours have
 * ordinary ones too, since a new shared array costs 3 to 4 us more than an ordinary one: one line shows that.
 */
export function cases(n: number): Case[] {
  const [own, xs] = scattered(n);
  const ownKeys = Int32Array.from({ length: n }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 25);
  const ownOut = new Float64Array(n);
  const out = sharedArray(Float64Array, n);
  const half = n >> 1;
  const [ownA, ownB] = [own.slice(0, half).sort(), own.slice(half).sort()];
  const [a, b] = [sharedArray(Float64Array, ownA), sharedArray(Float64Array, ownB)];
  const last = own[n - 1];
  const items = Array.from({ length: n }, (_, at): Item => ({ at, weight: own[at] }));
  const k = Math.min(10, n);
  return [
    {
      name: 'for',
      plain: () => plain.roots(ownOut),
      async promise(pool) {
        const context = { out };
        await parallelFor(
          n,
          (i, { out }) => {
            out[i] = Math.sqrt(i) * 0.5;
          },
          { pool, context },
        );
        return out;
      },
      sync(pool) {
        const context = { out };
        parallelForSync(
          n,
          (i, { out }) => {
            out[i] = Math.sqrt(i) * 0.5;
          },
          { pool, context },
        );
        return out;
      },
    },
    {
      name: 'for range',
      plain: () => plain.roots(ownOut),
      async promise(pool) {
        await parallelForRange(
          n,
          (lo, hi, { out }) => {
            for (let i = lo; i < hi; i++) out[i] = Math.sqrt(i) * 0.5;
          },
          { pool, context: { out } },
        );
        return out;
      },
      sync(pool) {
        parallelForRangeSync(
          n,
          (lo, hi, { out }) => {
            for (let i = lo; i < hi; i++) out[i] = Math.sqrt(i) * 0.5;
          },
          { pool, context: { out } },
        );
        return out;
      },
    },
    {
      name: 'map',
      plain: () => plain.map(own, ownOut),
      promise: (pool) => parallelMap(xs, (x) => x * 2 + 1, { pool, into: out }),
      sync: (pool) => parallelMapSync(xs, (x) => x * 2 + 1, { pool, into: out }),
    },
    {
      name: 'forEach',
      plain: () => plain.forEach(own, ownOut),
      async promise(pool) {
        await parallelForEach(
          xs,
          (x, i, { out }) => {
            out[i] = x * 3;
          },
          { pool, context: { out } },
        );
        return out;
      },
      sync(pool) {
        parallelForEachSync(
          xs,
          (x, i, { out }) => {
            out[i] = x * 3;
          },
          { pool, context: { out } },
        );
        return out;
      },
    },
    {
      name: 'tabulate',
      plain: () => plain.tabulate(ownOut),
      promise: (pool) => parallelTabulate(Float64Array, n, (i) => i * 0.5 + 1, { pool, into: out }),
      sync: (pool) => parallelTabulateSync(Float64Array, n, (i) => i * 0.5 + 1, { pool, into: out }),
    },
    {
      name: 'fill',
      plain: () => ownOut.fill(7),
      promise: (pool) => parallelFill(out, 7, { pool }),
      sync: (pool) => parallelFillSync(out, 7, { pool }),
    },
    {
      name: "reduce 'sum'",
      plain: () => plain.sum(own),
      promise: (pool) => parallelReduce(xs, 'sum', { pool }),
      sync: (pool) => parallelReduceSync(xs, 'sum', { pool }),
    },
    {
      name: 'reduce by a function',
      plain: () => plain.sum(own),
      promise: (pool) => parallelReduce(xs, (a, b) => a + b, 0, { pool }),
      sync: (pool) => parallelReduceSync(xs, (a, b) => a + b, 0, { pool }),
    },
    {
      name: "scan 'sum'",
      plain: () => plain.scan(own, ownOut),
      promise: (pool) => parallelScan(xs, 'sum', { pool, into: out }),
      sync: (pool) => parallelScanSync(xs, 'sum', { pool, into: out }),
    },
    {
      name: 'scan by a function',
      plain: () => plain.scan(own, ownOut),
      promise: (pool) => parallelScan(xs, (a, b) => a + b, 0, { pool, into: out }),
      sync: (pool) => parallelScanSync(xs, (a, b) => a + b, 0, { pool, into: out }),
    },
    {
      name: 'count',
      plain: () => plain.count(own),
      promise: (pool) => parallelCount(xs, (x) => x * 0.5 > 1e5, { pool }),
      sync: (pool) => parallelCountSync(xs, (x) => x * 0.5 > 1e5, { pool }),
    },
    {
      name: 'some',
      plain: () => plain.some(own),
      promise: (pool) => parallelSome(xs, (x) => x * 0.5 < -1, { pool }),
      sync: (pool) => parallelSomeSync(xs, (x) => x * 0.5 < -1, { pool }),
    },
    {
      name: 'every',
      plain: () => plain.every(own),
      promise: (pool) => parallelEvery(xs, (x) => x * 0.5 >= 0, { pool }),
      sync: (pool) => parallelEverySync(xs, (x) => x * 0.5 >= 0, { pool }),
    },
    {
      name: 'find',
      plain: () => plain.find(own, last),
      promise: (pool) => parallelFind(xs, (x, _, { last }) => x - last === 0, { pool, context: { last } }),
      sync: (pool) => parallelFindSync(xs, (x, _, { last }) => x - last === 0, { pool, context: { last } }),
    },
    {
      name: 'findIndex',
      plain: () => plain.findIndex(own),
      promise: (pool) => parallelFindIndex(xs, (x) => x * 0.5 < -1, { pool }),
      sync: (pool) => parallelFindIndexSync(xs, (x) => x * 0.5 < -1, { pool }),
    },
    {
      name: 'indexOf',
      plain: () => own.indexOf(-1),
      promise: (pool) => parallelIndexOf(xs, -1, { pool }),
      sync: (pool) => parallelIndexOfSync(xs, -1, { pool }),
    },
    {
      name: 'filter',
      plain: () => own.filter((x) => x * 0.5 > 1e5),
      promise: (pool) => parallelFilter(own, (x) => x * 0.5 > 1e5, { pool }),
      sync: (pool) => parallelFilterSync(own, (x) => x * 0.5 > 1e5, { pool }),
    },
    {
      name: 'filter of a shared array',
      plain: () => own.filter((x) => x * 0.5 > 1e5),
      promise: (pool) => parallelFilter(xs, (x) => x * 0.5 > 1e5, { pool }),
      sync: (pool) => parallelFilterSync(xs, (x) => x * 0.5 > 1e5, { pool }),
    },
    {
      name: 'partition',
      plain: () => [own.filter((x) => x * 0.5 > 1e5), own.filter((x) => !(x * 0.5 > 1e5))],
      promise: (pool) => parallelPartition(own, (x) => x * 0.5 > 1e5, { pool }),
      sync: (pool) => parallelPartitionSync(own, (x) => x * 0.5 > 1e5, { pool }),
    },
    {
      name: 'minMax',
      plain: () => plain.minMax(own),
      promise: async (pool) => {
        const { min, max } = await parallelMinMax(xs, { pool });
        return [min, max];
      },
      sync(pool) {
        const { min, max } = parallelMinMaxSync(xs, { pool });
        return [min, max];
      },
    },
    {
      name: 'histogram of equal bins',
      plain: () => plain.equalBins(own),
      promise: (pool) => parallelHistogram(own, { pool, bins: 64, min: 0, max: 2 ** 20 }),
      sync: (pool) => parallelHistogramSync(own, { pool, bins: 64, min: 0, max: 2 ** 20 }),
    },
    {
      name: 'histogram by a function',
      plain: () => plain.bins(own),
      promise: (pool) => parallelHistogram(own, (x) => x & 63, { pool, bins: 64 }),
      sync: (pool) => parallelHistogramSync(own, (x) => x & 63, { pool, bins: 64 }),
    },
    {
      name: 'reduceByKey',
      plain: () => plain.sumByKey(ownKeys, own),
      promise: async (pool) => {
        const sums = await parallelReduceByKey(ownKeys, own, 'sum', { pool });
        return [sums.keys, sums.values];
      },
      sync(pool) {
        const sums = parallelReduceByKeySync(ownKeys, own, 'sum', { pool });
        return [sums.keys, sums.values];
      },
    },
    {
      name: 'unique',
      plain: () => Int32Array.from(new Set(ownKeys)),
      promise: (pool) => parallelUnique(ownKeys, { pool }),
      sync: (pool) => parallelUniqueSync(ownKeys, { pool }),
    },
    {
      name: 'topK',
      plain: () => own.slice().sort().reverse().slice(0, k),
      promise: (pool) => parallelTopK(own, k, { pool }),
      sync: (pool) => parallelTopKSync(own, k, { pool }),
    },
    {
      name: 'argsort',
      plain: () => Uint32Array.from(own.keys()).sort((i, j) => own[i] - own[j] || i - j),
      promise: (pool) => parallelArgsort(own, { pool }),
      sync: (pool) => parallelArgsortSync(own, { pool }),
    },
    {
      name: 'sort',
      plain() {
        ownOut.set(own);
        return ownOut.sort();
      },
      promise(pool) {
        out.set(own);
        return parallelSort(out, { pool });
      },
      sync(pool) {
        out.set(own);
        return parallelSortSync(out, { pool });
      },
    },
    {
      name: 'sort by a comparator',
      plain() {
        ownOut.set(own);
        return ownOut.sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
      },
      promise(pool) {
        out.set(own);
        return parallelSort(out, (a, b) => (a < b ? 1 : a > b ? -1 : 0), { pool });
      },
      sync(pool) {
        out.set(own);
        return parallelSortSync(out, (a, b) => (a < b ? 1 : a > b ? -1 : 0), { pool });
      },
    },
    {
      name: 'sortBy',
      plain: () => items.slice().sort((a, b) => a.weight - b.weight)[0].at,
      promise: async (pool) => (await parallelSortBy(items.slice(), ({ weight }) => weight, { pool }))[0].at,
      sync: (pool) => parallelSortBySync(items.slice(), ({ weight }) => weight, { pool })[0].at,
    },
    {
      name: 'merge',
      plain: () => plain.merge(ownA, ownB, ownOut),
      promise: (pool) => parallelMerge(a, b, { pool, into: out }),
      sync: (pool) => parallelMergeSync(a, b, { pool, into: out }),
    },
  ];
}
