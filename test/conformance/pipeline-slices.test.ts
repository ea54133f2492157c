/** Pipelines that end when they have enough: `take`, `drop`, `find`, `some`, `every`. */
import { ForkJoinPool, SequentialExecutor } from 'furcate';
import { type PipelineOptions, pipeline } from 'furcate/flows';
import { afterAll, describe, expect, test } from 'vitest';

const pool = new ForkJoinPool({ parallelism: 2 });
afterAll(() => pool.close());

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

describe.each<[string, PipelineOptions]>([
  ['in a pool', { pool }],
  ['one thread', { pool: new SequentialExecutor() }],
  ['not ordered', { pool, ordered: false }],
])('%s:', (_, options) => {
  const isOrdered = options.ordered !== false;

  test('take ends an endless source, and closes it', async () => {
    let isClosed = false;
    let read = 0;
    function* numbers(): Generator<number> {
      try {
        for (;;) yield read++;
      } finally {
        isClosed = true;
      }
    }
    const taken = await pipeline(numbers(), { ...options, inFlight: 4 })
      .map((x) => x + 1)
      .take(10)
      .toArray();
    expect(taken).toHaveLength(10);
    if (isOrdered) expect(taken).toEqual(upTo(11).slice(1));
    expect([isClosed, read <= 14]).toEqual([true, true]);
  });

  test('what comes after the last item that is taken is of no use, nor does it fail', async () => {
    const made = pipeline(upTo(100), options).map((x) => {
      if (x === 50) throw new Error('nobody needs it');
      return x;
    });
    if (isOrdered) expect(await made.take(50).toArray()).toEqual(upTo(50));
    else expect(await made.take(1).toArray()).toHaveLength(1);
  });

  test('take ends an endless generator on its worker; drop leaves out the first items', async () => {
    const made = pipeline([1], options)
      .flatMap(function* () {
        for (let k = 0; ; k++) yield k;
      })
      .drop(3)
      .take(100)
      .batch(30);
    expect((await made.toArray()).map((batch) => [batch[0], batch.length])).toEqual([
      [3, 30],
      [33, 30],
      [63, 30],
      [93, 10],
    ]);
  });

  test('find, some and every end with the first item that decides', async () => {
    const numbers = pipeline(upTo(1000), options);
    const found = await numbers.find((x, { least }) => x >= least, { context: { least: 100 } });
    expect(found).toBeGreaterThanOrEqual(100);
    if (isOrdered) expect(found).toBe(100);
    expect(await numbers.find((x) => x < 0)).toBe(undefined);
    expect(await Promise.all([numbers.some((x) => x === 7), numbers.some((x) => x < 0)])).toEqual([true, false]);
    expect(await Promise.all([numbers.every((x) => x !== 7), numbers.every((x) => x >= 0)])).toEqual([false, true]);
    expect(await pipeline([], options).every(() => false)).toBe(true);
  });

  test('a failure before it counts', async () => {
    const made = pipeline(upTo(100), options).map((x) => {
      if (x === 0) throw new Error('the first');
      return x;
    });
    await expect(made.take(isOrdered ? 5 : 100).toArray()).rejects.toThrow('the first');
  });
});
