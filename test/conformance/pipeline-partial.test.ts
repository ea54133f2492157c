/** What had left a pipeline before it failed is told with the failure, if `toArray` is asked for it. */
import { CancellationError, ForkJoinPool, SequentialExecutor } from 'furcate';
import { isGraphFailure, isPipelineFailure, type Pipeline, pipeline } from 'furcate/flows';
import { afterAll, describe, expect, test } from 'vitest';
import { turn } from '../helpers/event-loop.js';

const pool = new ForkJoinPool({ parallelism: 2 });
afterAll(() => pool.close());

const failureOf = (run: Pipeline<unknown>): Promise<unknown> =>
  run.toArray({ partial: true }).then(
    () => 'no failure',
    (error: unknown) => error,
  );

describe.each([
  ['in a pool', pool],
  ['in sequence', new SequentialExecutor()],
] as const)('%s', (_, executor) => {
  test('a stage that fails leaves all items before the one that it failed at', async () => {
    const stage = (x: number): number => {
      if (x === 70) throw new RangeError('seventy');
      return 2 * x;
    };
    const numbers = Array.from({ length: 200 }, (_, i) => i);
    const error = await failureOf(pipeline(numbers, { pool: executor }).map(stage, { name: 'double' }));
    if (!isPipelineFailure<number>(error)) throw error;
    expect(error.results).toEqual(numbers.slice(0, 70).map((x) => 2 * x));
    expect(error.cause).toBeInstanceOf(RangeError);
    expect(error.stage).toBe("map(), stage 1 of the pipeline ('double')");
    expect(error.message).toBe(`furcate: a pipeline failed in ${error.stage}; 70 items had left before.`);
    expect(isGraphFailure(error)).toBe(false);
  });

  test('a source that fails leaves what it has given', async () => {
    function* source(): Generator<number> {
      yield 1;
      yield 2;
      throw new TypeError('worn out');
    }
    const error = await failureOf(pipeline(source(), { pool: executor }).map((x) => x + 1));
    expect(isPipelineFailure(error) && [error.results, error.stage, String(error.cause)]).toEqual([
      [2, 3],
      undefined,
      'TypeError: worn out',
    ]);
  });
});

test('a signal leaves what has left before it', async () => {
  const controller = new AbortController();
  async function* source(): AsyncGenerator<number> {
    yield 1;
    await turn();
    controller.abort('enough');
    yield 2;
  }
  const error = await failureOf(pipeline(source(), { pool, signal: controller.signal }).map((x) => x));
  if (!isPipelineFailure(error)) throw error;
  expect(CancellationError.is(error.cause)).toBe(true);
  expect([[], [1]]).toContainEqual(error.results);
});

test('without the option the failure is as it was thrown', async () => {
  const failing = pipeline([1], { pool }).map(() => {
    throw new RangeError('as it is');
  });
  await expect(failing.toArray()).rejects.toThrow(RangeError);
  await expect(failing.toArray({ partial: 1 } as never)).rejects.toThrow('options.partial');
});
