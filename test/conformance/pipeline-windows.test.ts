/** Stages that know what came before: `distinct`, `window`, and the index of an item. */
import { ForkJoinPool, SequentialExecutor } from 'furcate';
import { type PipelineOptions, pipeline } from 'furcate/flows';
import { afterAll, describe, expect, test } from 'vitest';

const pool = new ForkJoinPool({ parallelism: 2 });
afterAll(() => pool.close());

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

const windowsOf = (values: readonly number[], size: number, step: number): number[][] =>
  upTo(values.length)
    .filter((at) => at % step === 0 && at + size <= values.length)
    .map((at) => values.slice(at, at + size));

describe.each<[string, PipelineOptions]>([
  ['in a pool', { pool }],
  ['few places', { pool, inFlight: 2 }],
  ['one thread', { pool: new SequentialExecutor() }],
])('%s:', (_, options) => {
  test('distinct lets the first item of each key through', async () => {
    const made = pipeline(upTo(200), options).map((x) => ({ x, key: x % 7 }));
    const firsts = await made.distinct({ by: ({ key }) => key }).toArray();
    expect(firsts.map(({ x }) => x)).toEqual(upTo(7));
    expect(await pipeline([0, -0, Number.NaN, Number.NaN, '0'], options).distinct().toArray()).toEqual([
      0,
      Number.NaN,
      '0',
    ]);
  });

  test.each([
    [1, 1],
    [3, 1],
    [5, 3],
    [2, 5],
    [4, 4],
    [50, 1],
  ])('windows of %d, each %d items later', async (size, step) => {
    for (const length of [0, 1, size, size + 1, 40]) {
      const windows = pipeline(upTo(length), options)
        .map((x) => x)
        .window(size, { step });
      expect(await windows.toArray()).toEqual(windowsOf(upTo(length), size, step));
    }
  });

  test('map gets the index of what arrives, whatever was dropped before', async () => {
    const made = pipeline(upTo(100), options)
      .filter((x) => x % 3 === 0)
      .map((x, index, { scale }) => [x, index * scale], { index: true, context: { scale: 10 } })
      .map(([x, at]) => `${x} at ${at}`);
    expect(await made.toArray()).toEqual(upTo(34).map((k) => `${3 * k} at ${10 * k}`));
    const behind = [
      pipeline(upTo(9), options),
      pipeline(upTo(9), options).flatMap((x) => (x % 2 === 0 ? [x] : [])),
      pipeline(upTo(9), options).distinct({ by: (x) => x >> 1 }),
      pipeline(upTo(9), options)
        .scan((a, b) => a + b, 0)
        .drop(4),
      pipeline(upTo(9), options).expand((x) => x),
    ];
    for (const before of behind) {
      const indices = await before.map((_, index) => index, { index: true }).toArray();
      expect(indices).toEqual(upTo(indices.length));
    }
  });

  test('what makes items of an indexed map goes on with its results', async () => {
    const made = pipeline(['a', 'b'], options)
      .map((x, index) => x + index, { index: true })
      .flatMap((x) => [x, x]);
    expect(await made.toArray()).toEqual(['a0', 'a0', 'b1', 'b1']);
  });

  test('a key that fails is the failure of its item, which names the stage', async () => {
    const seen: number[] = [];
    const failing = async (): Promise<void> => {
      const by = (x: number): number => {
        if (x === 5) throw new RangeError('no key');
        return x;
      };
      for await (const x of pipeline(upTo(100), options).distinct({ by })) seen.push(x);
    };
    await expect(failing()).rejects.toMatchObject({ message: 'no key', stage: 'distinct(), stage 1 of the pipeline' });
    expect(seen).toEqual(upTo(5));
  });
});

test('not ordered, items are distinct, windows full, and the first stage knows indices', async () => {
  const options = { pool, ordered: false };
  const distinct = await pipeline(upTo(100), options)
    .map((x) => x % 9)
    .distinct()
    .toArray();
  expect(distinct.sort()).toEqual(upTo(9));
  const windows = await pipeline(upTo(100), options)
    .map((x) => x)
    .window(10, { step: 10 })
    .toArray();
  expect(windows.flat().sort((a, b) => a - b)).toEqual(upTo(100));
  const indices = await pipeline(upTo(50), options)
    .map((_, index) => index, { index: true })
    .toArray();
  expect(indices.sort((a, b) => a - b)).toEqual(upTo(50));
  const late = pipeline(upTo(5), options).map((x) => x);
  expect(() => late.map((_, index) => index, { index: true })).toThrow(
    /map\(\), stage 2 .*options\.index .*ordered: false/,
  );
});

test('what is no size, step or key function is refused', () => {
  const source = pipeline([1]);
  expect(() => source.window(0)).toThrow(/window\(\), stage 1 of the pipeline: size must be an integer from 1 up/);
  expect(() => source.window(2, { step: 0 })).toThrow(/options\.step/);
  expect(() => source.distinct({ by: 'x' as never })).toThrow(/options\.by/);
  expect(() => source.map((x) => x, { index: 1 } as never)).toThrow(/options\.index/);
});
