/** What an invocation carries is read by all of its tasks, and by no other. */
import {
  type AsyncForkable,
  type AsyncTask,
  carried,
  type Executor,
  type Forkable,
  ForkJoinPool,
  type ForkJoinTask,
  parallelFilter,
  parallelFor,
  parallelForEach,
  parallelInvoke,
  parallelMap,
  parallelMapSync,
  parallelReduce,
  SequentialExecutor,
  sharedArray,
  task,
} from 'furcate';
import { limit, pipeline, taskGraph } from 'furcate/flows';
import { afterAll, describe, expect, test } from 'vitest';
import { executors, fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';

interface Carry {
  readonly id: string;
}
interface Fixture {
  readonly reads: Forkable<[], Carry | undefined>;
  readonly tree: Forkable<[depth: number], string>;
  readonly Reads: new () => ForkJoinTask<Carry | undefined>;
  readonly Tenant: new (name: string) => object;
  readonly shouts: Forkable<[], string>;
  readonly adds: Forkable<[], boolean>;
  readonly isSame: Forkable<[], boolean>;
  readonly maps: Forkable<[n: number, id: string | undefined], number>;
  readonly waits: AsyncForkable<[depth: number], string[]>;
  readonly Waits: new () => AsyncTask<string>;
  readonly asks: AsyncForkable<[depth: number], string[]>;
}
const on = await fixture<Fixture>('carry.mjs');

const carrying = executors().filter(({ name }) => !name.startsWith('invokeSync,'));

describe.each(carrying)('$name:', (executor) => {
  const run = (work: ForkJoinTask<unknown> | AsyncTask<unknown>, carry?: unknown): Promise<unknown> =>
    executor.run(work as ForkJoinTask<unknown>, { carry });

  test('all tasks of an invocation read its value, and those of others theirs, or none', async () => {
    const ids = ['a', 'b', undefined, 'c'];
    const seen = await Promise.all(
      ids.map((id) => run(task(on.tree, executor.cold ? 4 : 8), id === undefined ? undefined : { id })),
    );
    expect(seen).toEqual(['{"id":"a"}', '{"id":"b"}', undefined, '{"id":"c"}']);
  });

  test('task objects read it in a blocking section', async () => {
    expect(await run(new on.Reads(), { id: 'a' })).toEqual({ id: 'a' });
  });

  test.each([1, 'text', null, false, [1, 2], { deep: { list: [{ id: 1 }] } }, new Map([['a', 1]]), -0, 10n])(
    'the value %s arrives as it is',
    async (carry) => {
      expect(await run(task(on.reads), carry)).toEqual(carry);
    },
  );

  test('instances of registered classes and shared arrays arrive', async () => {
    expect(await run(task(on.shouts), new on.Tenant('acme'))).toBe('ACME');
    const cells = sharedArray(Int32Array, 1);
    await run(task(on.adds), { cells });
    expect(cells[0]).toBe(1);
  });

  test('tasks on one thread get the same copy', async () => {
    const carry = { id: 'a' };
    expect(await run(task(on.isSame), carry)).toBe(true);
    const read = await run(task(on.reads), carry);
    expect(read).toEqual(carry);
    expect(read).not.toBe(carry);
  });

  test('inline functions inside of a task read what its invocation carries', async () => {
    expect(await run(task(on.maps, 50, 'a'), { id: 'a' })).toBe(50);
    expect(await run(task(on.maps, 50, undefined))).toBe(50);
  });

  test('asynchronous tasks read it by their scope, after an await too, and in what they fork', async () => {
    const ids = ['a', 'b', undefined];
    const seen = await Promise.all(ids.map((id) => run(task(on.waits, 2), id && { id })));
    expect(seen).toEqual([['a'], ['b'], [undefined]]);
    expect(await run(new on.Waits(), { id: 'c' })).toBe('c');
  });

  test('asynchronous tasks read it without their scope', async () => {
    const ids = ['a', undefined, 'b', undefined, 'c'];
    const seen = await Promise.all(ids.map((id) => run(task(on.asks, 3), id && { id })));
    expect(seen).toEqual(ids.map((id) => [id]));
  });

  test('what cannot be copied is refused, by its name', async () => {
    const error = (await errorOf(run(task(on.reads), { id: () => 'a' }))) as Error;
    expect(error.message).toMatch(/^furcate: options\.carry \(at \.id\) is a function/);
    expect(await run(task(on.reads), { id: 'a' })).toEqual({ id: 'a' });
  });
});

const pool = new ForkJoinPool({ parallelism: 2 });
const sequential = new SequentialExecutor();
afterAll(() => pool.close());
const numbers = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** Calls that have the option `carry`; each gives what its functions read. */
const CALLS: readonly [name: string, call: (how: { pool: Executor; carry: Carry }) => Promise<unknown[]>][] = [
  [
    'parallelMap',
    (how) => parallelMap(numbers(60), (_, _i, own) => own.carried<Carry>()?.id, { ...how, context: { carried } }),
  ],
  [
    'parallelMap of one item',
    (how) => parallelMap([1], (_, _i, own) => own.carried<Carry>()?.id, { ...how, context: { carried } }),
  ],
  [
    'parallelMap of an asynchronous function',
    (how) => parallelMap(numbers(9), async (_, _i, own) => own.carried<Carry>()?.id, { ...how, context: { carried } }),
  ],
  [
    'parallelForEach and parallelFilter',
    async (how) => {
      const wrong = await parallelFilter(numbers(60), (_, _i, own) => own.carried<Carry>() === undefined, {
        ...how,
        context: { carried },
      });
      await parallelForEach(
        numbers(60),
        (_, _i, own) => {
          if (own.carried<Carry>() === undefined) throw new Error('nothing is carried');
        },
        { ...how, context: { carried } },
      );
      return wrong.length === 0 ? [how.carry.id] : wrong;
    },
  ],
  [
    'parallelReduce',
    async (how) => [
      await parallelReduce(
        numbers(60).map(() => how.carry.id),
        (a, b, own) => (a === b && a === own.carried<Carry>()?.id ? a : 'mixed'),
        how.carry.id,
        { ...how, context: { carried } },
      ),
    ],
  ],
  [
    'parallelFor',
    async (how) => {
      const wrong = sharedArray(Int32Array, 1);
      await parallelFor(
        100,
        (_, own) => {
          if (own.carried<Carry>()?.id !== own.id) Atomics.add(own.wrong, 0, 1);
        },
        { ...how, context: { carried, wrong, id: how.carry.id } },
      );
      return wrong[0] === 0 ? [how.carry.id] : [`${wrong[0]} wrong`];
    },
  ],
  [
    'parallelInvoke',
    async (how) => (await parallelInvoke([task(on.reads), task(on.reads)], how)).map((one) => one?.id),
  ],
  [
    'stages of a pipeline',
    (how) =>
      pipeline(numbers(30), how)
        .map((_, own) => [own.carried<Carry>()?.id], { context: { carried } })
        .flatMap(
          function* ([id], own) {
            yield id;
            yield own.carried<Carry>()?.id;
          },
          { context: { carried } },
        )
        .map((_, own) => own.carried<Carry>()?.id, { context: { carried } })
        .toArray(),
  ],
  [
    'nodes of a graph',
    async (how) => {
      const graph = taskGraph((g) => {
        const read = g.task(on.reads);
        const inline = g.with({ context: { carried } }).task((_: unknown, own) => own.carried<Carry>()?.id, read);
        return g.all([inline, g.task(on.waits, 1)]);
      });
      const [inline, waiting] = (await graph.with(how).run()) as [string, string[]];
      return [inline, ...waiting];
    },
  ],
  [
    'an invocation that waits for permits',
    async ({ pool: executor, carry }) => [(await executor.with({ carry, limit: permits }).invoke(on.reads))?.id],
  ],
  [
    'invokeAny',
    async ({ pool: executor, carry }) => [(await executor.invokeAny([task(on.reads), task(on.reads)], { carry }))?.id],
  ],
];
const permits = limit(1);

describe.each([
  ['a pool', pool],
  ['a sequential executor', sequential],
])('in %s', (_, executor) => {
  test.each(CALLS)('%s: functions read what the call carries', async (_name, call) => {
    const ids = ['a', 'b', 'c'];
    const seen = await Promise.all(ids.map((one) => call({ pool: executor, carry: { id: one } })));
    expect(seen.map((some) => [...new Set(some)])).toEqual(ids.map((one) => [one]));
  });

  test('calls that carry nothing leave nothing behind', async () => {
    await executor.with({ carry: { id: 'a' } }).invoke(on.reads);
    expect(await executor.invoke(on.reads)).toBe(undefined);
    expect(carried()).toBe(undefined);
  });
});

test('a call that blocks is no invocation of its own, and says so', () => {
  expect(() => parallelMapSync(new Float64Array(2), (x) => x, { carry: 1 } as never)).toThrow(
    /parallelMapSync: options\.carry is of no use to a call that blocks\. Use await parallelMap\(\)/,
  );
});
