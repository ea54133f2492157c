/** Races: the first success wins, losers stop, and nothing of them runs when the promise settles; in every executor that awaits. */
import fc from 'fast-check';
import { type AnyTask, type AsyncForkable, type Executor, ForkJoinPool, SequentialExecutor, task } from 'furcate';
import { limit } from 'furcate/flows';
import { afterAll, describe, expect, test } from 'vitest';
import { ofEachKind } from '../helpers/environment.js';
import { fixture } from '../helpers/executors.js';
import { errorOf } from '../helpers/outcomes.js';
import { poolMaker } from '../helpers/pools.js';
import { sharedWords, whenSet } from '../helpers/words.js';

type Any = AsyncForkable<unknown[], unknown>;
type Spec = readonly [name: string, ...args: unknown[]];
interface Fixture {
  readonly tasksOf: (specs: readonly Spec[]) => AnyTask[];
  readonly Races: new (specs: readonly Spec[]) => AnyTask;
  readonly [name: string]: unknown;
}
const tasks = await fixture<Fixture>('racing.mjs');
const { tasksOf } = tasks;
const [RUNNING, BEGUN, CANCELLED, ENDED] = [0, 1, 2, 3];
const of = (name: string): Any => tasks[name] as Any;

const poolOf = poolMaker('terminate');
const POOLS: readonly (readonly [string, () => Executor])[] = ofEachKind(
  [
    ['a pool of 1', () => new ForkJoinPool({ parallelism: 1 })],
    ['a pool of 2', () => new ForkJoinPool({ parallelism: 2 })],
    ['a pool of 4', () => new ForkJoinPool({ parallelism: 4 })],
    ['a checked pool of 2', () => new ForkJoinPool({ parallelism: 2, checked: true })],
  ],
  ([name]) => !/of [14]$/.test(name),
);
const EXECUTORS: typeof POOLS = [['SequentialExecutor', () => new SequentialExecutor()], ...POOLS];

/** An executor for all tests of a block, closed after them. */
function ofBlock(make: () => Executor): () => Executor {
  let made: Executor | undefined;
  afterAll(() => made?.close());
  return () => {
    made ??= make();
    return made;
  };
}

type Outcome = { readonly value?: unknown; readonly error?: string; readonly errors?: readonly string[] };
type RunRace = (executor: Executor, specs: readonly Spec[]) => Promise<Outcome>;
/** A race among invocations, and one among the forks of a scope. */
const WAYS: readonly (readonly [string, RunRace])[] = [
  [
    'invokeAny of the executor',
    async (executor, specs) => {
      try {
        return { value: await executor.invokeAny(tasksOf(specs)) };
      } catch (error) {
        const { message, errors } = error as AggregateError;
        return { error: message, errors: errors?.map((one) => (one as Error).message) };
      }
    },
  ],
  ['scope.invokeAny', (executor, specs) => executor.invoke(of('races'), specs) as Promise<Outcome>],
];

describe.each(EXECUTORS)('in %s,', (name, make) => {
  const executorOf = ofBlock(make);

  describe.each(WAYS)('%s:', (_, race) => {
    test('a success wins; where all fail, their errors come in order; and then nothing runs', async () => {
      const executor = executorOf();
      const contestant = fc.oneof(
        fc.record({ kind: fc.constantFrom('gives', 'givesLater'), value: fc.nat(9) }),
        fc.record({ kind: fc.constantFrom('fails', 'failsLater'), value: fc.nat(9) }),
      );
      const property = fc.asyncProperty(fc.array(contestant, { minLength: 1, maxLength: 8 }), async (all) => {
        const words = sharedWords();
        const specs = all.map(
          ({ kind, value }): Spec => [kind, words, kind.startsWith('fails') ? `no ${value}` : value, 0],
        );
        const outcome = await race(executor, specs);
        const values = all.filter(({ kind }) => kind.startsWith('gives')).map(({ value }) => value);
        if (values.length > 0) expect(values).toContain(outcome.value);
        else
          expect(outcome).toEqual({
            error: `furcate: all ${all.length} tasks of invokeAny() have failed.`,
            errors: all.map(({ value }) => `no ${value}`),
          });
        expect(words[RUNNING]).toBe(0);
      });
      await fc.assert(property, { numRuns: name.includes('checked') ? 15 : 40 });
    });

    test('losers that await hear of it by their signals', async () => {
      const executor = executorOf();
      const words = sharedWords();
      const specs: Spec[] = [
        ['waits', words],
        ['failsLater', words, 'no'],
        ['waits', words],
        ['givesLater', words, 7, 2],
      ];
      expect(await race(executor, specs)).toEqual({ value: 7 });
      expect([words[BEGUN], words[CANCELLED], words[RUNNING]]).toEqual([2, 2, 0]);
    });

    test('what is no list of different tasks is refused', async () => {
      const executor = executorOf();
      const words = sharedWords();
      const [one] = tasksOf([['gives', words, 1]]);
      for (const wrong of [undefined, 3, {}, [], [3], [one, one]])
        expect(await errorOf(executor.invokeAny(wrong as never))).toMatchObject({ name: 'TypeError' });
      expect((await race(executor, [])).error).toMatch(
        /takes an array of at least one task; it was given an empty one/,
      );
      expect(await executor.invokeAny([one as AnyTask])).toBe(1);
      expect(String(await errorOf(executor.invokeAny([one as AnyTask])))).toMatch(/has run/);
    });
  });

  test('a task object races in its own scope, and an AggregateError comes home', async () => {
    const executor = executorOf();
    const words = sharedWords();
    expect(
      await executor.invoke(
        new tasks.Races([
          ['fails', words, 'no'],
          ['gives', words, 5],
        ]),
      ),
    ).toBe(5);
    const error = (await errorOf(executor.invoke(of('aggregates'), words))) as AggregateError;
    expect(error).toBeInstanceOf(AggregateError);
    expect(error.errors).toEqual([new RangeError('a'), new RangeError('b')]);
  });

  test('a race that nobody awaits ends with its task, and fails nothing', async () => {
    const executor = executorOf();
    const words = sharedWords();
    expect(await executor.invoke(of('leavesRace'), words)).toBe('left');
    expect(words[RUNNING]).toBe(0);
  });

  test('joinAllSettled tells how each fork has ended', async () => {
    const executor = executorOf();
    expect(await executor.invoke(of('settles'), sharedWords())).toEqual([
      ['fulfilled', 1],
      ['rejected', 'RangeError: no'],
      ['rejected', 'TypeError: later'],
      ['fulfilled', 2],
    ]);
    const [errors, none] = (await executor.invoke(of('settlesWrong'))) as [string[], unknown[]];
    expect(errors).toHaveLength(4);
    expect(errors[0]).toMatch(/joinAllSettled\(\) takes an array of forks/);
    expect(none).toEqual([]);
  });

  test('yield() gives the worker to others: to forks of its own, and to other invocations', async () => {
    const executor = executorOf();
    expect(await executor.invoke(of('yieldsToFork'), sharedWords())).toBe(1);
    const words = sharedWords();
    const yielding = executor.invoke(of('yields'), words);
    await executor.invoke(of('opens'), words);
    expect(await yielding).toBeTypeOf('boolean'); // another worker may have opened it before
  });

  test('yield() ends a task that is cancelled', async () => {
    const executor = executorOf();
    const controller = new AbortController();
    const words = sharedWords();
    const yielding = errorOf(executor.invoke(task(of('yields') as never, words), { signal: controller.signal }));
    while (words[BEGUN] === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    controller.abort();
    expect(await yielding).toMatchObject({ name: 'AbortError' });
  });
});

describe.each(POOLS.slice(1))('in %s,', (_, make) => {
  const executorOf = ofBlock(make);

  const LOSERS: readonly string[] = ['loops', 'forksOn', 'tree', 'stubborn', 'Loops', 'forksLoops', 'racesLoops'];

  test.each(LOSERS)('%s stops at its next fork, join or checkpoint, with all that it has forked', async (loser) => {
    const executor = executorOf();
    for (const [, race] of WAYS) {
      const words = sharedWords();
      const args: Spec = loser === 'tree' ? [loser, words, 3] : [loser, words];
      expect(await race(executor, [['givesAfter', words, 'won', 1], args])).toEqual({ value: 'won' });
      expect(words[RUNNING]).toBe(0);
      expect(words[CANCELLED]).toBeGreaterThan(0);
    }
  });

  test('what runs beside the race, on the same threads, goes on', async () => {
    const executor = executorOf();
    for (let round = 0; round < 10; round++) {
      const words = sharedWords();
      expect(await executor.invoke(of('racesBeside'), words)).toEqual(['won', 64]);
      expect(words[RUNNING]).toBe(0);
    }
  });

  test('a signal and a time-out end the whole race', async () => {
    const executor = executorOf();
    const words = sharedWords();
    const controller = new AbortController();
    const aborted = errorOf(
      executor.invokeAny(
        tasksOf([
          ['loops', words],
          ['waits', words],
        ]),
        { signal: controller.signal },
      ),
    );
    await whenSet(words, BEGUN);
    controller.abort('enough');
    expect(await aborted).toMatchObject({ name: 'AbortError', cause: 'enough' });
    const late = errorOf(executor.invokeAny(tasksOf([['loops', words]]), { timeoutMs: 5 }));
    expect(await late).toMatchObject({ name: 'CancellationError', reason: 'timeout' });
    expect(words[RUNNING]).toBe(0);
  });
});

test('losers that do not stop end with their workers, graceMs later, and the winner counts', async () => {
  const pool = poolOf(2);
  const words = sharedWords();
  const { endless } = await fixture<Record<string, never>>('limited.mjs');
  expect(await pool.invokeAny([task(endless), ...tasksOf([['givesLater', words, 3, 0]])], { graceMs: 20 })).toBe(3);
  expect(await pool.invoke(of('settlesWrong'))).toBeDefined(); // new workers
});

test('a worker that dies ends a race that nobody has won, and leaves one that somebody has won', async () => {
  const pool = poolOf(2);
  const words = sharedWords();
  const error = (await errorOf(
    pool.invokeAny([task(tasks['dies'] as never), ...tasksOf([['loops', words]])]),
  )) as AggregateError;
  expect(error.errors).toMatchObject([{ name: 'WorkerCrashError' }, { name: 'WorkerCrashError' }]);
  const races = errorOf(
    pool.invoke(of('races'), [
      ['loops', words],
      ['waits', words],
    ]),
  );
  await errorOf(pool.invoke(tasks['dies'] as never));
  expect(await races).toMatchObject({ name: 'WorkerCrashError' });
  expect(await pool.invoke(of('races'), [['gives', words, 1]])).toEqual({ value: 1 });
});

test('a race counts once for maxQueue, and takes the permits of each task', async () => {
  const pool = poolOf(1, { maxQueue: 1 });
  const words = sharedWords();
  const specs: Spec[] = [1, 2, 3, 4].map((k) => ['gives', words, k]);
  expect(await pool.invokeAny(tasksOf(specs))).toBe(1);
  const one = limit(1);
  expect(
    await pool.invokeAny(
      tasksOf([
        ['failsLater', words, 'no'],
        ['gives', words, 2],
      ]),
      { limit: one },
    ),
  ).toBe(2);
  expect([one.inUse, one.waiting, words[RUNNING], (words[ENDED] as number) > 0]).toEqual([0, 0, 0, true]);
});

test('a race whose tasks wait for permits counts once for maxQueue, and an executor that is being closed runs all of them', async () => {
  const pool = poolOf(1, { maxQueue: 1 });
  await pool.ready();
  for (const executor of [pool, new SequentialExecutor()]) {
    const words = sharedWords();
    const specs: Spec[] = [1, 2, 3].map((k) => ['fails', words, `no ${k}`]);
    const race = errorOf(executor.invokeAny(tasksOf(specs), { limit: limit(3) }));
    await executor.close();
    const { errors } = (await race) as AggregateError;
    expect(errors.map((error) => (error as Error).message)).toEqual(['no 1', 'no 2', 'no 3']);
  }
});

test('a race needs a pool that is open, and no task around it', async () => {
  const pool = poolOf(1);
  await pool.close();
  expect(await errorOf(pool.invokeAny(tasksOf([['gives', sharedWords(), 1]])))).toMatchObject({
    name: 'RejectedExecutionError',
  });
});
