/** The cases of the benchmark `small`: every algorithm, and the loop or built-in that one would write instead. */
import * as furcate from 'furcate';
import { plain } from './plain-loops.js';

/** One algorithm. All three functions give the same answer. */
export interface Case {
  readonly name: string;
  plain(): unknown;
  promise(pool: furcate.ForkJoinPool): Promise<unknown>;
  sync(pool: furcate.ForkJoinPool): unknown;
}

interface Item {
  readonly at: number;
  readonly weight: number;
}

/** Multiples of one half below 2^20, in scattered order, as an ordinary and as a shared array. Their sums are exact in any order. */
function scattered(n: number): [own: Float64Array, shared: Float64Array] {
  const own = Float64Array.from({ length: n }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) >>> 12) * 0.5);
  return [own, furcate.sharedArray(Float64Array, own)];
}

/**
 * The plain loops use ordinary arrays. The algorithms use shared arrays and write results into existing ones. Algorithms that
 * return a new array use ordinary arrays too, because a new shared array costs 1 us more than an ordinary one; one case shows that.
 * `spoil` overwrites right answers of earlier calls.
 */
export function makeCases(n: number): { cases: Case[]; spoil(): void } {
  const [own, xs] = scattered(n);
  const ownKeys = Int32Array.from({ length: n }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 25);
  const ownOut = new Float64Array(n);
  const out = furcate.sharedArray(Float64Array, n);
  const half = n >> 1;
  const [ownA, ownB] = [own.slice(0, half).sort(), own.slice(half).sort()];
  const [a, b] = [furcate.sharedArray(Float64Array, ownA), furcate.sharedArray(Float64Array, ownB)];
  const last = own[n - 1];
  const items = Array.from({ length: n }, (_, at): Item => ({ at, weight: own[at] }));
  const k = Math.min(10, n);
  const cases: Case[] = [
    {
      name: 'for',
      plain: () => plain.roots(ownOut),
      async promise(pool) {
        const context = { out };
        await furcate.parallelFor(
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
        furcate.parallelForSync(
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
        await furcate.parallelForRange(
          n,
          (lo, hi, { out }) => {
            for (let i = lo; i < hi; i++) out[i] = Math.sqrt(i) * 0.5;
          },
          { pool, context: { out } },
        );
        return out;
      },
      sync(pool) {
        furcate.parallelForRangeSync(
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
      promise: (pool) => furcate.parallelMap(xs, (x) => x * 2 + 1, { pool, into: out }),
      sync: (pool) => furcate.parallelMapSync(xs, (x) => x * 2 + 1, { pool, into: out }),
    },
    {
      name: 'forEach',
      plain: () => plain.forEach(own, ownOut),
      async promise(pool) {
        await furcate.parallelForEach(
          xs,
          (x, i, { out }) => {
            out[i] = x * 3;
          },
          { pool, context: { out } },
        );
        return out;
      },
      sync(pool) {
        furcate.parallelForEachSync(
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
      promise: (pool) => furcate.parallelTabulate(Float64Array, n, (i) => i * 0.5 + 1, { pool, into: out }),
      sync: (pool) => furcate.parallelTabulateSync(Float64Array, n, (i) => i * 0.5 + 1, { pool, into: out }),
    },
    {
      name: 'fill',
      plain: () => ownOut.fill(7),
      promise: (pool) => furcate.parallelFill(out, 7, { pool }),
      sync: (pool) => furcate.parallelFillSync(out, 7, { pool }),
    },
    {
      name: "reduce 'sum'",
      plain: () => plain.sum(own),
      promise: (pool) => furcate.parallelReduce(xs, 'sum', { pool }),
      sync: (pool) => furcate.parallelReduceSync(xs, 'sum', { pool }),
    },
    {
      name: 'reduce by a function',
      plain: () => plain.sum(own),
      promise: (pool) => furcate.parallelReduce(xs, (a, b) => a + b, 0, { pool }),
      sync: (pool) => furcate.parallelReduceSync(xs, (a, b) => a + b, 0, { pool }),
    },
    {
      name: "scan 'sum'",
      plain: () => plain.scan(own, ownOut),
      promise: (pool) => furcate.parallelScan(xs, 'sum', { pool, into: out }),
      sync: (pool) => furcate.parallelScanSync(xs, 'sum', { pool, into: out }),
    },
    {
      name: 'scan by a function',
      plain: () => plain.scan(own, ownOut),
      promise: (pool) => furcate.parallelScan(xs, (a, b) => a + b, 0, { pool, into: out }),
      sync: (pool) => furcate.parallelScanSync(xs, (a, b) => a + b, 0, { pool, into: out }),
    },
    {
      name: 'count',
      plain: () => plain.count(own),
      promise: (pool) => furcate.parallelCount(xs, (x) => x * 0.5 > 1e5, { pool }),
      sync: (pool) => furcate.parallelCountSync(xs, (x) => x * 0.5 > 1e5, { pool }),
    },
    {
      name: 'some',
      plain: () => plain.some(own),
      promise: (pool) => furcate.parallelSome(xs, (x) => x * 0.5 < -1, { pool }),
      sync: (pool) => furcate.parallelSomeSync(xs, (x) => x * 0.5 < -1, { pool }),
    },
    {
      name: 'every',
      plain: () => plain.every(own),
      promise: (pool) => furcate.parallelEvery(xs, (x) => x * 0.5 >= 0, { pool }),
      sync: (pool) => furcate.parallelEverySync(xs, (x) => x * 0.5 >= 0, { pool }),
    },
    {
      name: 'find',
      plain: () => plain.find(own, last),
      promise: (pool) => furcate.parallelFind(xs, (x, _, { last }) => x - last === 0, { pool, context: { last } }),
      sync: (pool) => furcate.parallelFindSync(xs, (x, _, { last }) => x - last === 0, { pool, context: { last } }),
    },
    {
      name: 'findIndex',
      plain: () => plain.findIndex(own),
      promise: (pool) => furcate.parallelFindIndex(xs, (x) => x * 0.5 < -1, { pool }),
      sync: (pool) => furcate.parallelFindIndexSync(xs, (x) => x * 0.5 < -1, { pool }),
    },
    {
      name: 'indexOf',
      plain: () => own.indexOf(-1),
      promise: (pool) => furcate.parallelIndexOf(xs, -1, { pool }),
      sync: (pool) => furcate.parallelIndexOfSync(xs, -1, { pool }),
    },
    {
      name: 'filter',
      plain: () => own.filter((x) => x * 0.5 > 1e5),
      promise: (pool) => furcate.parallelFilter(own, (x) => x * 0.5 > 1e5, { pool }),
      sync: (pool) => furcate.parallelFilterSync(own, (x) => x * 0.5 > 1e5, { pool }),
    },
    {
      name: 'filter of a shared array',
      plain: () => own.filter((x) => x * 0.5 > 1e5),
      promise: (pool) => furcate.parallelFilter(xs, (x) => x * 0.5 > 1e5, { pool }),
      sync: (pool) => furcate.parallelFilterSync(xs, (x) => x * 0.5 > 1e5, { pool }),
    },
    {
      name: 'partition',
      plain: () => [own.filter((x) => x * 0.5 > 1e5), own.filter((x) => !(x * 0.5 > 1e5))],
      promise: (pool) => furcate.parallelPartition(own, (x) => x * 0.5 > 1e5, { pool }),
      sync: (pool) => furcate.parallelPartitionSync(own, (x) => x * 0.5 > 1e5, { pool }),
    },
    {
      name: 'minMax',
      plain: () => plain.minMax(own),
      promise: async (pool) => {
        const { min, max } = await furcate.parallelMinMax(xs, { pool });
        return [min, max];
      },
      sync(pool) {
        const { min, max } = furcate.parallelMinMaxSync(xs, { pool });
        return [min, max];
      },
    },
    {
      name: 'histogram of equal bins',
      plain: () => plain.equalBins(own),
      promise: (pool) => furcate.parallelHistogram(own, { pool, bins: 64, min: 0, max: 2 ** 20 }),
      sync: (pool) => furcate.parallelHistogramSync(own, { pool, bins: 64, min: 0, max: 2 ** 20 }),
    },
    {
      name: 'histogram by a function',
      plain: () => plain.bins(own),
      promise: (pool) => furcate.parallelHistogram(own, (x) => x & 63, { pool, bins: 64 }),
      sync: (pool) => furcate.parallelHistogramSync(own, (x) => x & 63, { pool, bins: 64 }),
    },
    {
      name: 'reduceByKey',
      plain: () => plain.sumByKey(ownKeys, own),
      promise: async (pool) => {
        const sums = await furcate.parallelReduceByKey(ownKeys, own, 'sum', { pool });
        return [sums.keys, sums.values];
      },
      sync(pool) {
        const sums = furcate.parallelReduceByKeySync(ownKeys, own, 'sum', { pool });
        return [sums.keys, sums.values];
      },
    },
    {
      name: 'unique',
      plain: () => Int32Array.from(new Set(ownKeys)),
      promise: (pool) => furcate.parallelUnique(ownKeys, { pool }),
      sync: (pool) => furcate.parallelUniqueSync(ownKeys, { pool }),
    },
    {
      name: 'topK',
      plain: () => own.slice().sort().reverse().slice(0, k),
      promise: (pool) => furcate.parallelTopK(own, k, { pool }),
      sync: (pool) => furcate.parallelTopKSync(own, k, { pool }),
    },
    {
      name: 'argsort',
      plain: () => Uint32Array.from(own.keys()).sort((i, j) => own[i] - own[j] || i - j),
      promise: (pool) => furcate.parallelArgsort(own, { pool }),
      sync: (pool) => furcate.parallelArgsortSync(own, { pool }),
    },
    {
      name: 'sort',
      plain() {
        ownOut.set(own);
        return ownOut.sort();
      },
      promise(pool) {
        out.set(own);
        return furcate.parallelSort(out, { pool });
      },
      sync(pool) {
        out.set(own);
        return furcate.parallelSortSync(out, { pool });
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
        return furcate.parallelSort(out, (a, b) => (a < b ? 1 : a > b ? -1 : 0), { pool });
      },
      sync(pool) {
        out.set(own);
        return furcate.parallelSortSync(out, (a, b) => (a < b ? 1 : a > b ? -1 : 0), { pool });
      },
    },
    {
      name: 'sortBy',
      plain: () => items.slice().sort((a, b) => a.weight - b.weight)[0].at,
      promise: async (pool) => (await furcate.parallelSortBy(items.slice(), ({ weight }) => weight, { pool }))[0].at,
      sync: (pool) => furcate.parallelSortBySync(items.slice(), ({ weight }) => weight, { pool })[0].at,
    },
    {
      name: 'merge',
      plain: () => plain.merge(ownA, ownB, ownOut),
      promise: (pool) => furcate.parallelMerge(a, b, { pool, into: out }),
      sync: (pool) => furcate.parallelMergeSync(a, b, { pool, into: out }),
    },
  ];
  return { cases, spoil: () => void out.fill(-1) };
}
