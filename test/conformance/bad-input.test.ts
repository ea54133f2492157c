import {
  ForkJoinPool,
  type ForkJoinTask,
  fork,
  forkable,
  join,
  parallelFor,
  parallelForSync,
  parallelReduceSync,
  RecursiveAction,
  RecursiveTask,
  registerError,
  SequentialExecutor,
  ForkJoinTask as Task,
  task,
  workerLocal,
} from 'furcate';
import { afterAll, describe, expect, test } from 'vitest';
import { invokeHere, mayBlock } from '../helpers/caller.js';
import { fixture, type Scenario } from '../helpers/executors.js';

const joining = await fixture<{
  square: Scenario;
  Square: new (n: number) => ForkJoinTask<number> & { readonly runs: number };
}>('joining.mjs');
const pool = new ForkJoinPool({ parallelism: 1 });
afterAll(() => pool.close());

type Loose = (...args: unknown[]) => unknown;

/** Calls what returns a promise; fails if it throws instead of rejecting. */
async function rejection(call: () => unknown): Promise<Error> {
  const promise = call() as Promise<unknown>;
  expect(promise).toBeInstanceOf(Promise);
  return promise.then(
    (value) => new Error(`no error but ${String(value)}`),
    (error: Error) => error,
  );
}

const thrown = (call: () => unknown): Error => {
  try {
    return new Error(`no error but ${String(call())}`);
  } catch (error) {
    return error as Error;
  }
};

const NOT_NUMBERS = ['4', null, {}, [], true, () => 4, 4n, Symbol('4')];
const NOT_STRINGS = [4, null, {}, [], true, () => 'x'];
const NOT_OBJECTS = [4, 'x', null, true, [], () => ({})];

const STALE = [0, 1, -1, 1.5, Number.NaN];
const NO_HANDLES = [undefined, null, 'x', '1', {}, 1n, true, Symbol('x')];

describe('new ForkJoinPool(options)', () => {
  const made = (options: unknown): Error =>
    thrown(() => new (ForkJoinPool as new (options: unknown) => unknown)(options));

  test.each([
    ['parallelism', TypeError, NOT_NUMBERS],
    ['parallelism', RangeError, [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 257, 1e9]],
    ['name', TypeError, NOT_STRINGS],
    ['checked', TypeError, [0, 1, 'yes', null, {}]],
    ['keepAliveMs', TypeError, NOT_NUMBERS],
    ['keepAliveMs', RangeError, [-1, Number.NaN, Number.NEGATIVE_INFINITY]],
    ['maxSpares', TypeError, NOT_NUMBERS],
    ['maxSpares', RangeError, [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 257]],
    [
      'node',
      TypeError,
      [['--flag'], 'x', null, 3, { execArgv: '--flag' }, { execArgv: [1] }, { execArgv: null }, { flags: [] }],
    ],
    ['preload', TypeError, ['furcate/tsx', [1], null, {}, [null]]],
    [
      'resourceLimits',
      TypeError,
      [
        4,
        'x',
        null,
        [],
        { maxOldGenerationSizeMb: '5' },
        { stackSizeMb: -1 },
        { stackSizeMb: Number.NaN },
        { stackSize: 4 },
      ],
    ],
    ['createWorker', TypeError, [4, 'x', null, {}]],
  ])('refuses a bad %s with a %o that names it', (option, Class, values) => {
    for (const value of values) {
      const error = made({ [option]: value });
      expect(error).toBeInstanceOf(Class);
      expect(error.message).toContain(option);
    }
  });

  test('refuses options that it does not have, by name', () => {
    for (const option of ['paralelism', 'threads', 'signal']) {
      expect(made({ [option]: undefined })).toBeInstanceOf(TypeError);
      expect(made({ [option]: 2 }).message).toContain(`'${option}'`);
    }
  });

  test('says where options of Node belong', () => {
    expect(made({ execArgv: [] }).message).toMatch(/has no option 'execArgv'.* Write node: \{ execArgv \}/);
    expect(made({ node: { flags: [] } }).message).toMatch(/node has no option 'flags'\. It has: execArgv/);
    expect(made({ node: { execArgv: [1] } }).message).toMatch(/node\.execArgv must be an array of strings/);
  });

  test('refuses options that are no object', () => {
    for (const options of NOT_OBJECTS) {
      const error = made(options);
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/options .* must be an object/);
    }
  });

  test('takes undefined for what is left out', async () => {
    const fine = new (ForkJoinPool as new (options: unknown) => ForkJoinPool)({
      parallelism: 1,
      name: undefined,
      preload: undefined,
    });
    expect(fine.parallelism).toBe(1);
    await fine.close();
  });

  test('refuses a bad FURCATE_PARALLELISM, and takes a good one', () => {
    const before = process.env['FURCATE_PARALLELISM'];
    try {
      for (const text of ['x', '0', '-1', '2.5', '1000']) {
        process.env['FURCATE_PARALLELISM'] = text;
        expect(made({})).toBeInstanceOf(RangeError);
        expect(made({}).message).toContain('FURCATE_PARALLELISM');
      }
      process.env['FURCATE_PARALLELISM'] = '3';
      expect(new ForkJoinPool().parallelism).toBe(3);
      expect(new ForkJoinPool({ parallelism: 2 }).parallelism).toBe(2);
    } finally {
      if (before === undefined) delete process.env['FURCATE_PARALLELISM'];
      else process.env['FURCATE_PARALLELISM'] = before;
    }
  });
});

const NOT_WORK = [undefined, null, 4, 'x', {}, [], () => 1, class {}, Symbol('x'), { compute: () => 1 }];

describe('pool.invoke()', () => {
  const invoke = pool.invoke.bind(pool) as Loose;

  test('rejects what is neither a task nor forkable', async () => {
    for (const work of NOT_WORK) {
      const error = await rejection(() => invoke(work));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/invoke\(\) takes a task, or a function made with forkable/);
    }
    expect(await rejection(() => invoke())).toBeInstanceOf(TypeError);
  });

  test.each([
    ['signal', TypeError, [4, 'x', null, {}, true, new AbortController()]],
    ['timeoutMs', TypeError, NOT_NUMBERS],
    ['timeoutMs', RangeError, [-1, Number.NaN]],
    ['timeout', TypeError, [5]],
    ['priority', TypeError, [null, 1, 'urgent', {}]],
  ])('rejects a bad option %s with a %o that names it, and the task has not run', async (option, Class, values) => {
    for (const value of values) {
      const work = new joining.Square(3);
      const error = await rejection(() => invoke(work, { [option]: value }));
      expect(error).toBeInstanceOf(Class);
      expect(error.message).toContain(option);
      expect(work.isDone).toBe(false);
      expect(await invokeHere(pool, work)).toBe(9);
    }
  });

  test('rejects options that are no object', async () => {
    for (const options of NOT_OBJECTS) {
      expect(await rejection(() => invoke(new joining.Square(3), options))).toBeInstanceOf(TypeError);
    }
  });
});

describe.each([
  ['a pool', pool],
  ['a SequentialExecutor', new SequentialExecutor()],
])('invokeSync() of %s', (_, executor) => {
  const invokeSync = executor.invokeSync.bind(executor) as Loose;

  test('refuses what is neither a task nor forkable', () => {
    for (const work of NOT_WORK) {
      const error = thrown(() => invokeSync(work));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/invokeSync\(\) takes a task, or a/);
    }
  });

  test('refuses a task that was started before, until it is reinitialized', () => {
    const work = new joining.Square(3);
    expect(invokeSync(work)).toBe(9);
    expect(thrown(() => invokeSync(work)).message).toMatch(/reinitialize/);
    work.reinitialize();
    expect(invokeSync(work)).toBe(9);
  });
});

test('awaitQuiescence(ms) rejects a bad time', async () => {
  const awaitQuiescence = pool.awaitQuiescence.bind(pool) as Loose;
  for (const ms of NOT_NUMBERS) {
    const error = await rejection(() => awaitQuiescence(ms));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^furcate: ms must be/);
  }
  for (const ms of [-1, Number.NaN]) expect(await rejection(() => awaitQuiescence(ms))).toBeInstanceOf(RangeError);
});

describe('outside a pool', () => {
  test.each<[string, () => unknown]>([
    ['fork() of a task', () => new joining.Square(1).fork()],
    ['fork() of a function', () => (fork as Loose)(joining.square, 1)],
    ['fork() of two arguments', () => (fork as Loose)(joining.square, 1, 2)],
    ['invoke()', () => new joining.Square(1).invoke()],
    ['invokeAll()', () => Task.invokeAll(new joining.Square(1), new joining.Square(2))],
    ['helpQuiesce()', () => Task.helpQuiesce()],
  ])('%s is an error that says how to start', (_, call) => {
    for (let i = 0; i < 3; i++) expect(thrown(call).message).toMatch(/outside a pool\. .*pool\.invoke/);
  });

  test('join() is an error, of a task and of a handle', () => {
    expect(thrown(() => new joining.Square(1).join()).message).toMatch(/never forked/);
    expect(thrown(() => new joining.Square(1).quietlyJoin()).message).toMatch(/never forked/);
    for (const handle of STALE) expect(thrown(() => (join as Loose)(handle)).message).toMatch(/stale/);
    for (const other of NO_HANDLES) expect(thrown(() => (join as Loose)(other))).toBeInstanceOf(TypeError);
  });

  test('a task that could not be forked can be invoked', async () => {
    const work = new joining.Square(5);
    expect(thrown(() => work.fork()).message).toMatch(/outside a pool/);
    expect(await invokeHere(pool, work)).toBe(25);
  });

  test('nobody is in a pool, and nothing is queued', () => {
    expect(Task.inForkJoinPool()).toBe(false);
    expect(Task.getPool()).toBe(undefined);
    expect(Task.getQueuedTaskCount()).toBe(0);
    expect(Task.getSurplusQueuedTaskCount()).toBe(0);
  });
});

describe('inside a task', () => {
  let bodies = 0;
  const inside = (body: () => unknown): unknown => {
    const run = forkable(import.meta.url, `inside ${++bodies}`, body);
    return new SequentialExecutor().invokeSync(run);
  };

  test('fork() refuses what is not forkable, with a TypeError', () => {
    for (const fn of [undefined, null, 4, Number.NaN, 'x', {}, () => 1]) {
      const error = inside(() => thrown(() => (fork as Loose)(fn, 1))) as Error;
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/fork\(\) takes a function made with forkable/);
    }
  });

  test('join() refuses what is no handle', () => {
    for (const handle of STALE) {
      expect((inside(() => thrown(() => (join as Loose)(handle))) as Error).message).toMatch(/stale/);
    }
    for (const other of NO_HANDLES) {
      const error = inside(() => thrown(() => (join as Loose)(other))) as Error;
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/join\(\) takes a handle/);
    }
    const task = new joining.Square(3);
    expect((inside(() => thrown(() => (join as Loose)(task))) as Error).message).toMatch(/a Square\. Write task\.join/);
  });

  test('invokeAll() refuses what is no task, by its position, before anything runs', () => {
    for (const bad of NOT_WORK) {
      const good = new joining.Square(3);
      const error = inside(() => thrown(() => (Task.invokeAll as Loose)(good, bad))) as Error;
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/argument 2/);
      expect(good.isDone).toBe(false);
    }
  });

  test('invokeAll() refuses a task twice, or one that was started, before anything runs', () => {
    const [one, two] = [new joining.Square(3), new joining.Square(4)];
    expect(inside(() => thrown(() => Task.invokeAll(one, two, one)))).toMatchObject({
      message: expect.stringMatching(/A task runs once/),
    });
    expect([one.isDone, two.isDone]).toEqual([false, false]);
    const other = task(joining.square, 5);
    expect(inside(() => thrown(() => Task.invokeAll(one, other, other)))).toMatchObject({
      message: expect.stringMatching(/^furcate: invokeAll\(\) of a square that is given twice/),
    });
    expect(inside(() => thrown(() => (Task.invokeAll as Loose)(one, null)))).toMatchObject({
      message: expect.stringMatching(/argument 2 is null/),
    });
  });

  test('pools refuse to be made or asked', async () => {
    expect(inside(() => thrown(() => new ForkJoinPool()))).toMatchObject({
      message: expect.stringMatching(/inside a task/),
    });
    expect(inside(() => thrown(() => pool.invokeSync(joining.square, 2)))).toMatchObject({
      message: expect.stringMatching(/inside a task/),
    });
    let promise: Promise<unknown> | undefined;
    inside(() => {
      promise = pool.invoke(joining.square, 2);
    });
    expect((await rejection(() => promise)).message).toMatch(/inside a task\. A task cannot await/);
  });

  test('algorithms refuse their promise form, and any pool but the one of the task', async () => {
    let promise: Promise<unknown> | undefined;
    inside(() => {
      promise = parallelFor(10, () => {});
    });
    expect((await rejection(() => promise)).message).toMatch(/parallelFor\(\) inside a task.* Use parallelForSync\(\)/);
    const other = new ForkJoinPool({ parallelism: 1 });
    expect(inside(() => thrown(() => parallelForSync(10, () => {}, { pool: other })))).toMatchObject({
      message: expect.stringMatching(/parallelForSync\(\) inside a task.*leave out options\.pool/),
    });
    const own = forkable(import.meta.url, 'own', () => parallelReduceSync(Float64Array.of(1, 2, 3), 'sum', { pool }));
    if (mayBlock) expect(pool.invokeSync(own)).toBe(6); // workers do not know it
  });
});

describe('registration', () => {
  class Fine extends RecursiveTask<number> {
    compute(): number {
      return 1;
    }
  }
  const BAD_URLS = [null, 4, '', ' ', {}, 'not-a-url'];
  const BAD_NAMES = [undefined, null, 4, '', {}];

  test('register() names what is wrong', () => {
    const register = Fine.register.bind(Fine) as Loose;
    for (const url of BAD_URLS) expect(thrown(() => register(url, 'Fine'))).toBeInstanceOf(TypeError);
    expect(thrown(() => register(null, 'Fine')).message).toMatch(/__filename/);
    for (const name of BAD_NAMES) expect(thrown(() => register(import.meta.url, name)).message).toMatch(/takes a name/);
    for (const Class of [class Empty extends (RecursiveAction as unknown as new () => object) {}, class {}, () => 1]) {
      expect(thrown(() => (Fine.register as Loose).call(Class, import.meta.url, 'Empty'))).toBeInstanceOf(TypeError);
    }
  });

  test('forkable() names what is wrong', () => {
    const make = forkable as Loose;
    for (const url of BAD_URLS) expect(thrown(() => make(url, 'f', () => 1))).toBeInstanceOf(TypeError);
    for (const name of BAD_NAMES)
      expect(thrown(() => make(import.meta.url, name, () => 1)).message).toMatch(/takes a name/);
    for (const fn of [undefined, null, 4, Number.NaN, 'x', {}, class {}, async () => 1, function* () {}]) {
      const error = thrown(() => make(import.meta.url, 'f', fn));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toContain("forkable(url, 'f')");
    }
  });

  test('registerError() names what is wrong', () => {
    const make = registerError as Loose;
    for (const url of BAD_URLS) expect(thrown(() => make(url, 'E', RangeError))).toBeInstanceOf(TypeError);
    for (const name of BAD_NAMES)
      expect(thrown(() => make(import.meta.url, name, RangeError)).message).toMatch(/takes a name/);
    for (const Class of [undefined, null, 4, {}, class {}, () => 1]) {
      expect(thrown(() => make(import.meta.url, 'E', Class)).message).toMatch(/takes a class that extends Error/);
    }
  });

  test('task() and workerLocal() name what is wrong', () => {
    for (const fn of [undefined, null, 4, Number.NaN, {}, () => 1]) {
      expect(thrown(() => (task as Loose)(fn)).message).toMatch(/task\(\) takes a function made with forkable/);
    }
    for (const init of [undefined, null, 4, {}]) {
      const error = thrown(() => (workerLocal as Loose)(init));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/workerLocal\(init\) takes a function/);
    }
  });
});
