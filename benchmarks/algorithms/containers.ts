/** Measures shared containers on one and two workers, compared with a Map, a Set and an array on one thread; runs in pools. */
import {
  ForkJoinPool,
  parallelForRange,
  type SharedBag,
  type SharedMap,
  type SharedSet,
  sharedArray,
  sharedBag,
  sharedMap,
  sharedSet,
} from 'furcate';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { type Candidate, candidate, compare, of } from '../harness/compare.js';
import { atMost, beside, type Figure, figure } from '../harness/figure.js';

const ELEMENTS = 2_000_000;
const ROUNDS = 9;
/** Times of one and of two workers as shares of a plain container's time. */
const TARGETS = [
  [1, atMost(1.5)],
  [2, atMost(1 / 1.5)],
] as const;

/** Numbers of which about `distinct` differ, in no order. */
function someKeys(n: number, distinct: number): Uint32Array {
  const keys = sharedArray(Uint32Array, n);
  let state = 1;
  for (let i = 0; i < n; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    keys[i] = Math.imul(Math.floor((state / 2 ** 32) * distinct), 0x9e3779b1);
  }
  return keys;
}

interface Case {
  readonly what: string;
  readonly beside: string;
  plain(): number;
  shared(pool: ForkJoinPool): Promise<number>;
}

function counting(n: number, distinct: number): Case {
  const keys = someKeys(n, distinct);
  const counts = sharedMap('u32', 'u32', { combine: 'sum', maxSize: distinct });
  const count = (lo: number, hi: number, { keys, counts }: { keys: Uint32Array; counts: SharedMap }): void => {
    for (let i = lo; i < hi; i++) counts.add(keys[i]);
  };
  return {
    what: `counts of ${n} numbers, ${distinct} distinct`,
    beside: 'Map',
    plain() {
      const map = new Map<number, number>();
      for (let i = 0; i < keys.length; i++) map.set(keys[i], (map.get(keys[i]) ?? 0) + 1);
      return map.size;
    },
    async shared(pool) {
      counts.clear();
      await parallelForRange(n, count, { pool, context: { keys, counts } });
      return counts.size;
    },
  };
}

function duplicates(n: number, distinct: number): Case {
  const keys = someKeys(n, distinct);
  const seen = sharedSet('u32', { maxSize: distinct });
  const add = (lo: number, hi: number, { keys, seen }: { keys: Uint32Array; seen: SharedSet }): void => {
    for (let i = lo; i < hi; i++) seen.add(keys[i]);
  };
  return {
    what: `distinct ones of ${n} numbers, ${distinct} of them`,
    beside: 'Set',
    plain() {
      const set = new Set<number>();
      for (let i = 0; i < keys.length; i++) set.add(keys[i]);
      return set.size;
    },
    async shared(pool) {
      seen.clear();
      await parallelForRange(n, add, { pool, context: { keys, seen } });
      return seen.size;
    },
  };
}

function appending(n: number): Case {
  const found = sharedBag('u32', { maxSize: n });
  const add = (lo: number, hi: number, { found }: { found: SharedBag }): void => {
    for (let i = lo; i < hi; i++) if (i % 2 === 0) found.add(i);
  };
  return {
    what: `${n / 2} numbers appended`,
    beside: 'array',
    plain() {
      const list: number[] = [];
      for (let i = 0; i < n; i++) if (i % 2 === 0) list.push(i);
      return list.length;
    },
    async shared(pool) {
      found.clear();
      await parallelForRange(n, add, { pool, context: { found } });
      return found.size;
    },
  };
}

async function measureCase(one: Case, pools: readonly ForkJoinPool[], setup: Setup): Promise<Figure[]> {
  const expected = one.plain();
  const name = (workers: number): string => `${one.what}, ${workers} ${workers === 1 ? 'worker' : 'workers'}`;
  const candidates: Candidate[] = [
    candidate(one.beside, expected, () => one.plain()),
    ...pools.map((pool) => candidate(name(pool.parallelism), expected, () => one.shared(pool))),
  ];
  const samples = await compare(candidates, effort(setup, ROUNDS));
  return [
    figure(`${one.what}, ${one.beside}`, of(samples, one.beside)),
    ...TARGETS.map(([workers, target]) =>
      figure(name(workers), of(samples, name(workers)), {
        comparisons: [beside(one.beside, of(samples, name(workers)), of(samples, one.beside), target)],
      }),
    ),
  ];
}

export const containers: Benchmark = {
  name: 'containers',
  says: 'what sharedMap, sharedSet and sharedBag cost on one worker and on two, beside the containers of the language on one thread.',
  notFor:
    'values that lie in arrays beside their keys, which parallelReduceByKey combines without a table that all share.',
  async measure(setup) {
    const pools = TARGETS.map(([parallelism]) => new ForkJoinPool({ parallelism }));
    try {
      await Promise.all(pools.map((pool) => pool.ready()));
      const n = setup.short ? ELEMENTS / 20 : ELEMENTS;
      const figures: Figure[] = [];
      for (const one of [counting(n, n / 40), counting(n, n / 2), duplicates(n, n / 2), appending(n)])
        figures.push(...(await measureCase(one, pools, setup)));
      return figures;
    } finally {
      await Promise.all(pools.map((pool) => pool.close()));
    }
  },
};
