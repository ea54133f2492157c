/** Pipelines and what is beside them: other calls on the same workers, which a run that ends does not wait for; the places that items take. */
import { type Forkable, ForkJoinPool, sharedArray } from 'furcate';
import { pipeline } from 'furcate/flows';
import { expect, test } from 'vitest';
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

test.each([undefined, 24])(
  'more items are on their way where they are cheap, unless inFlight is given: %s',
  async (inFlight) => {
    const pool = new ForkJoinPool({ parallelism: 2 });
    let read = 0;
    let taken = 0;
    let most = 0;
    function* numbers(): Generator<number> {
      while (read < 50_000) {
        read++;
        most = Math.max(most, read - taken);
        yield read;
      }
    }
    for await (const x of pipeline(numbers(), { pool, inFlight }).map((x) => x + 1)) {
      taken++;
      expect(x).toBe(taken + 1);
    }
    if (inFlight === undefined) expect(most).toBeGreaterThan(64);
    else expect(most).toBeLessThanOrEqual(inFlight + 1); // the body has the one that it has taken
    await pool.close();
  },
);
