/** Function tasks of a family share a context, which crosses to each thread once. */
import { type AsyncForkable, type Forkable, ForkJoinPool, free, parallelMap, sharedArray, task } from 'furcate';
import { afterAll, describe, expect, test } from 'vitest';
import { executors, fixture, type Scenario } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';

interface Data {
  readonly xs: Float64Array;
  readonly plus: number;
  readonly scale: object;
}
interface Fixture {
  readonly Scale: new (by: number) => object;
  readonly total: Forkable<[lo: number, hi: number, data: Data], number>;
  readonly contexts: Forkable<[depth: number, data: object], number>;
  readonly labelled: Forkable<[data: Data], string>;
  readonly same: Forkable<[data: object], object>;
  readonly writes: Forkable<[data: object], void>;
  readonly many: Forkable<[a: number, b: number, c: number, d: number, e: number, data: { plus: number }], number[]>;
  readonly manyForked: Forkable<[data: { plus: number }], number[]>;
  readonly nested: Forkable<[lo: number, inner: { plus: number }, outer: { plus: number }], number>;
  readonly made: Forkable<[xs: Float64Array], number>;
  readonly waits: AsyncForkable<[depth: number, data: { plus: number }], number>;
}
const on = await fixture<Fixture>('contexts.mjs');

const xs = sharedArray(
  Float64Array,
  Array.from({ length: 64 }, (_, i) => i),
);
const data: Data = { xs, plus: 1, scale: new on.Scale(2) };

describe.each(executors())('$name:', (executor) => {
  const run = (work: unknown, ...args: unknown[]): Promise<unknown> => executor.run(work as Scenario, ...args);

  test('tasks of a function with a context read it, wherever they run', async () => {
    expect(await run(on.total.with(data), 0, 64)).toBe(64 * 63 + 64);
    expect(await run(on.total, 0, 64, data)).toBe(64 * 63 + 64);
    expect(await run(task(on.total.with(data), 0, 64))).toBe(64 * 63 + 64);
  });

  test('a context may be made, given and forked within a task, and stand beside further arguments', async () => {
    expect(await run(on.made, xs)).toBe(2 * 6 + 4);
    expect(await run(on.many.with({ plus: 6 }), 1, 2, 3, 4, 5)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await run(on.manyForked.with({ plus: 7 }))).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(await run(on.nested.with({ plus: 10 }).with({ plus: 200 }), 3)).toBe(213);
  });

  test('it stands in fields and results as the same object', async () => {
    expect(await run(on.labelled.with(data))).toBe('sum: 16, true, true');
  });

  test('it is frozen, and a copy of the moment at which it was given', async () => {
    const own = { ...data };
    const total = on.total.with(own);
    Object.assign(own, { plus: 1_000 });
    expect(await run(total, 0, 4)).toBe(16);
    expect(await errorOf(run(on.writes.with(own)))).toBeInstanceOf(TypeError);
  });

  if (!executor.name.startsWith('invokeSync,'))
    test('asynchronous tasks have it, too', async () => {
      expect(await run(on.waits.with({ plus: 3 }), 3)).toBe(24);
    });
});

describe('a context', () => {
  const pool = new ForkJoinPool({ parallelism: 2, checked: true });
  afterAll(() => pool.close());

  test('is opened once on each thread, whatever the number of tasks and invocations', async () => {
    const contexts = on.contexts.with({ xs });
    const counts = [await pool.invoke(contexts, 6), await pool.invoke(contexts, 6)];
    // Of each thread its own copy; and of a worker one more, if the collector took the first between the two.
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  });

  test('an array that was freed is named, with the function', async () => {
    const gone = sharedArray(Float64Array, 4);
    const total = on.total.with({ ...data, xs: gone });
    expect(await pool.invoke(total, 0, 4)).toBe(4);
    free(gone);
    await expect(pool.invoke(total, 0, 4)).rejects.toThrow(
      /an array in the context of total is a shared array that was freed/,
    );
  });

  test('bytes of an array that is freed during an invocation are given back after it', async () => {
    const during = sharedArray(Float64Array, [1, 2, 3, 4]);
    const sum = pool.invoke(on.total.with({ ...data, xs: during }), 0, 4);
    free(during);
    for (let k = 0; k < 4; k++) sharedArray(Float64Array, 4).fill(100);
    expect(await sum).toBe(24);
  });

  test('has its type, and the other arguments theirs', () => {
    // @ts-expect-error: no plus
    on.total.with({ xs, scale: data.scale });
    // @ts-expect-error: an argument too many
    void (() => pool.invoke(on.total.with(data), 0, 4, data));
  });

  test('is refused where it is no plain object, or holds what no argument may', () => {
    for (const wrong of [undefined, null, 5, [1], new on.Scale(1)])
      expect(() => on.total.with(wrong as never)).toThrow(/^furcate: the context of total must be a plain object/);
    expect(() => on.same.with({ xs: new Float64Array(4) })).toThrow(
      /^furcate: the context of same \(at .xs\) is a Float64Array on unshared memory/,
    );
    expect(() => on.same.with({ fn: () => 1 })).toThrow(/^furcate: the context of same \(at .fn\) is a function/);
  });

  test('algorithms say that they take the function without it', async () => {
    await expect(parallelMap(xs, on.same.with(data) as never, { pool })).rejects.toThrow(
      /is a forkable with a context, which tasks alone take. Pass the forkable/,
    );
  });
});
