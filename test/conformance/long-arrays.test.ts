/**
 * More elements than 32 bits count: 2^32 of them, in memory that nobody has touched. A call whose words are too short says so before it
 * begins; the others reach behind the last one. Where an engine has no such array, nothing can go wrong.
 */
import {
  type Executor,
  type Forkable,
  ForkJoinPool,
  parallelArgsort,
  parallelEvery,
  parallelFilter,
  parallelFind,
  parallelFindIndex,
  parallelForRange,
  parallelHistogram,
  parallelIndexOf,
  parallelMerge,
  parallelPartition,
  parallelReduceByKey,
  parallelSome,
  parallelSort,
  parallelTopK,
  parallelUnique,
} from 'furcate';
import { afterAll, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';

const LENGTH = 2 ** 32;

function longArray(): Uint8Array | undefined {
  try {
    return new Uint8Array(new SharedArrayBuffer(LENGTH));
  } catch {
    return undefined;
  }
}

const xs = longArray();
const pool: Executor = new ForkJoinPool({ parallelism: 2 });
afterAll(() => pool.close());

type Call = (xs: Uint8Array) => Promise<unknown>;
const refusing: readonly { readonly name: string; readonly call: Call; readonly what?: string }[] = [
  { name: 'parallelIndexOf', call: (xs) => parallelIndexOf(xs, 5, { pool }) },
  { name: 'parallelFind', call: (xs) => parallelFind(xs, (x) => x === 5, { pool }) },
  { name: 'parallelFindIndex', call: (xs) => parallelFindIndex(xs, (x) => x === 5, { pool }) },
  { name: 'parallelSome', call: (xs) => parallelSome(xs, (x) => x === 5, { pool }) },
  { name: 'parallelEvery', call: (xs) => parallelEvery(xs, (x) => x === 5, { pool }) },
  { name: 'parallelHistogram', call: (xs) => parallelHistogram(xs, { bins: 4, min: 0, max: 4, pool }) },
  { name: 'parallelFilter', call: (xs) => parallelFilter(xs, (x) => x === 5, { pool }) },
  { name: 'parallelPartition', call: (xs) => parallelPartition(xs, (x) => x === 5, { pool }) },
  { name: 'parallelUnique', call: (xs) => parallelUnique(xs, { pool }) },
  { name: 'parallelSort', call: (xs) => parallelSort(xs, { pool }) },
  { name: 'parallelTopK', call: (xs) => parallelTopK(xs, 3, { pool }) },
  {
    name: 'parallelMerge',
    call: (xs) => parallelMerge(xs, new Uint8Array(1), { pool }),
    what: 'a and b together have',
  },
  { name: 'parallelArgsort', call: (xs) => parallelArgsort(xs, { pool }), what: 'keys has' },
  { name: 'parallelReduceByKey', call: (xs) => parallelReduceByKey(xs, xs, 'sum', { pool }), what: 'keys has' },
];

test.each(refusing)('$name refuses what its words cannot count', async ({ name, call, what = 'xs has' }) => {
  if (xs === undefined) return expect(longArray).not.toThrow();
  await expect(call(xs)).rejects.toThrow(
    new RegExp(`^furcate: ${name}: ${what} 429496729[67] elements, and at most 2\\^32 - 1 are counted`),
  );
});

test('a view that begins or ends behind 2^32 bytes travels to tasks as it is', async () => {
  if (xs === undefined) return expect(longArray).not.toThrow();
  const { lastOf } = await fixture<{ lastOf: Forkable<[xs: Uint8Array], [length: number, last: number]> }>('long.mjs');
  xs[LENGTH - 1] = 7;
  expect(await pool.invoke(lastOf, xs)).toEqual([LENGTH, 7]);
});

test('progress is counted behind 2^32', async () => {
  const seen: number[] = [];
  const onProgress = (done: number): void => void seen.push(done);
  await parallelForRange(3 * LENGTH, () => {}, { pool, threshold: LENGTH, onProgress });
  expect(seen.at(-1)).toBe(3 * LENGTH);
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
});
