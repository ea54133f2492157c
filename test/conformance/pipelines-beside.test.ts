/** Pipelines and what is beside them: other calls on the same workers, which a run that ends does not wait for; the places that items take. */
import { type Forkable, ForkJoinPool, sharedArray } from 'furcate';
import { type Pipeline, pipeline } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';

interface Fixture {
  /** Computes until the second word is set; sets the first one when it begins. */
  readonly computesUntil: Forkable<[words: Int32Array], void>;
}

const { computesUntil } = await fixture<Fixture>('pipelines.mjs');

/** Occupies one worker. @returns what ends that */
async function occupy(pool: ForkJoinPool): Promise<() => Promise<void>> {
  const words = sharedArray(Int32Array, 2);
  const computing = pool.invoke(computesUntil, words);
  while (Atomics.load(words, 0) === 0) await Atomics.waitAsync(words, 0, 0).value;
  return () => {
    Atomics.store(words, 1, 1);
    return computing;
  };
}

function* endless(): Generator<number> {
  for (let i = 0; ; i++) yield i;
}

test.each(['is left', 'is aborted'])('a run that %s does not wait for workers that it has not used', async (how) => {
  const pool = new ForkJoinPool({ parallelism: 2 });
  const free = await occupy(pool);
  const controller = new AbortController();
  const read = async (): Promise<void> => {
    let seen = 0;
    for await (const _ of pipeline(endless(), { pool, signal: controller.signal }).flatMap(function* () {
      for (let i = 0; i < 50; i++) yield i;
    })) {
      if (++seen < 200) continue;
      if (how === 'is left') break;
      controller.abort();
    }
  };
  if (how === 'is left') await read();
  else expect(await errorOf(read())).toMatchObject({ name: 'AbortError' });
  await free();
  await pool.close();
});

test('a generator that is paused on a worker which is busy with another call is ended when that is over', async () => {
  const pool = new ForkJoinPool({ parallelism: 1, maxSpares: 0 });
  const ended = sharedArray(Int32Array, 1);
  const items = pipeline([0], { pool })
    .flatMap(
      function* (_, { ended }) {
        try {
          for (let i = 0; ; i++) yield i;
        } finally {
          Atomics.add(ended, 0, 1);
        }
      },
      { context: { ended } },
    )
    [Symbol.asyncIterator]();
  await items.next();
  const free = await occupy(pool);
  await items.return?.();
  expect(ended[0]).toBe(0);
  await free();
  await pool.close();
  expect(ended[0]).toBe(1);
});

const CHEAP: readonly (readonly [string, (numbers: Pipeline<number>) => Pipeline<number>])[] = [
  ['map', (numbers) => numbers.map((x) => x + 1)],
  ['flatMap with lists', (numbers) => numbers.flatMap((x) => [x + 1])],
  [
    'flatMap with generators',
    (numbers) =>
      numbers.flatMap(function* (x) {
        yield x + 1;
      }),
  ],
  ['expand', (numbers) => numbers.expand((x) => x + 1)],
];

describe.each(CHEAP)('%s:', (_, add) => {
  test.each([undefined, 24])(
    'more items are on their way where they are cheap, unless inFlight is given: %s',
    async (inFlight) => {
      const pool = new ForkJoinPool({ parallelism: 2 });
      const count = inFlight === undefined ? 50_000 : 5_000;
      let read = 0;
      let taken = 0;
      let most = 0;
      function* numbers(): Generator<number> {
        while (read < count) {
          read++;
          most = Math.max(most, read - taken);
          yield read;
        }
      }
      for await (const x of add(pipeline(numbers(), { pool, inFlight }))) {
        taken++;
        expect(x).toBe(taken + 1);
      }
      expect(taken).toBe(count);
      if (inFlight === undefined) expect(most).toBeGreaterThan(64);
      else expect(most).toBeLessThanOrEqual(inFlight + 1); // the body has the one that it has taken
      await pool.close();
    },
  );
});

test('generators that go together make all of their items in order, whether they are paused or not, and all that begin end', async () => {
  const pool = new ForkJoinPool({ parallelism: 2 });
  const counts = sharedArray(Int32Array, 2);
  const numbers = Array.from({ length: 5_000 }, (_, k) => k);
  const lengthOf = (x: number): number => (x % 50 === 7 ? 100 : x % 3);
  const made = pipeline(numbers, { pool }).flatMap(
    function* (x, { counts }) {
      Atomics.add(counts, 0, 1);
      try {
        for (let k = 0; k < (x % 50 === 7 ? 100 : x % 3); k++) yield 1000 * x + k;
      } finally {
        Atomics.add(counts, 1, 1);
      }
    },
    { context: { counts } },
  );
  const expected = numbers.flatMap((x) => Array.from({ length: lengthOf(x) }, (_, k) => 1000 * x + k));
  expect(await made.toArray()).toEqual(expected);
  expect([...counts]).toEqual([numbers.length, numbers.length]);
  let left = 12_000;
  for await (const _ of made) if (--left === 0) break;
  await pool.close();
  expect(counts[0]).toBeGreaterThan(numbers.length);
  expect(counts[1]).toBe(counts[0]);
});
