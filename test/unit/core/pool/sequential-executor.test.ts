import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HANDLE_MASK, local } from '../../../../src/core/deque/private-stack.js';
import { SequentialExecutor } from '../../../../src/core/pool/sequential-executor.js';
import { ForkJoinTask, RecursiveTask } from '../../../../src/core/task/fork-join-task.js';
import { type Fork, type Forkable, fork, forkable, join } from '../../../../src/core/task/function-task.js';
import { task as callTask } from '../../../../src/core/task/task.js';
import { isComputing } from '../../../../src/core/worker/scheduler.js';
import { thread } from '../../../../src/core/worker/worker-slot.js';

const executor = new SequentialExecutor();

class Fib extends RecursiveTask<number> {
  readonly n: number;
  constructor(n: number) {
    super();
    this.n = n;
  }
  compute(): number {
    if (this.n < 2) return this.n;
    const left = new Fib(this.n - 1).fork();
    return new Fib(this.n - 2).compute() + left.join();
  }
}

const fib: Forkable<[n: number], number> = forkable(import.meta.url, 'fib', (n: number): number => {
  if (n < 2) return n;
  const left = fork(fib, n - 1);
  return fib(n - 2) + join(left);
});

const fails = forkable(import.meta.url, 'fails', (): never => {
  fork(fib, 3);
  new Fib(2).fork();
  throw new RangeError('no');
});

/** Nothing of an invocation is left behind. */
const expectLeft = (): void => {
  expect([local.sp, local.base, local.split, thread.own, thread.pool]).toEqual([0, 0, 0, null, undefined]);
  expect(isComputing()).toBe(false);
  expect(local.stack.every((item) => item === null)).toBe(true);
};

describe('a sequential executor', () => {
  test('runs tasks of both forms to their end, on the caller, without any registration', () => {
    expect(executor.invokeSync(new Fib(15))).toBe(610);
    expect(executor.invokeSync(fib, 15)).toBe(610);
    expectLeft();
  });

  test('leaves to a worker, whose modules may use an executor, what the worker computes for', () => {
    const pool = { name: 'of the worker', parallelism: 2 };
    thread.pool = pool;
    try {
      expect(executor.invokeSync(fib, 5)).toBe(5);
      expect(thread.pool).toBe(pool);
    } finally {
      thread.pool = undefined;
    }
    expectLeft();
  });

  test('has run when it returns its promise', async () => {
    const task = new Fib(10);
    const promise = executor.invoke(task);
    expect(task.isDone).toBe(true);
    expect(await promise).toBe(55);
    expect(await executor.invoke(fib, 10)).toBe(55);
  });

  test('throws what a body throws, or rejects with it, and leaves nothing behind', async () => {
    expect(() => executor.invokeSync(fails)).toThrow(new RangeError('no'));
    expectLeft();
    await expect(executor.invoke(fails)).rejects.toThrow(new RangeError('no'));
    expectLeft();
    expect(executor.invokeSync(fib, 10)).toBe(55);
  });

  test('rejects what it does not take', async () => {
    await expect((executor.invoke as (work: unknown) => Promise<unknown>)(4)).rejects.toThrow(TypeError);
    expectLeft();
  });

  test('is what the tasks see as their pool, and is not entered twice', () => {
    const seen = forkable(import.meta.url, 'seen', () => [
      ForkJoinTask.inForkJoinPool(),
      ForkJoinTask.getPool()?.parallelism,
      (() => {
        try {
          return executor.invokeSync(fib, 3);
        } catch (error) {
          return (error as Error).message;
        }
      })(),
    ]);
    expect(executor.invokeSync(seen)).toEqual([true, 1, expect.stringMatching(/inside a task/)]);
    expect(ForkJoinTask.inForkJoinPool()).toBe(false);
    expectLeft();
  });

  test('leaves nothing behind when the stack overflows', () => {
    const endless: Forkable<[n: number], number> = forkable(import.meta.url, 'endless', (n: number): number =>
      join(fork(endless, n + 1)),
    );
    for (let i = 0; i < 3; i++) {
      expect(() => executor.invokeSync(endless, 0)).toThrow(RangeError);
      expectLeft();
    }
  });
});

const URL_OF_NOTHING = 'file:///x.mjs';

/** How a tree forks and joins: child `c` is a task object where bit `c` of `forms` is set; joins come in `order`. */
let shape: { readonly order: readonly number[]; readonly forms: number } = { order: [], forms: 0 };

/** The order of the joins shows in the value. */
const fold = (seed: number, childValue: (child: number) => number): number =>
  shape.order.reduce((value, child) => (Math.imul(value, 31) + childValue(child)) | 0, seed);

const seedOf = (seed: number, child: number): number => (Math.imul(seed, 7) + child) | 0;

const plain = (seed: number, levels: number): number =>
  levels === 0 ? seed : fold(seed, (child) => plain(seedOf(seed, child), levels - 1));

function forked(seed: number, levels: number): number {
  if (levels === 0) return seed;
  const joins = shape.order.map((_, child) => {
    const of = seedOf(seed, child);
    if ((shape.forms & (1 << child)) === 0) {
      const handle = fork(tree, of, levels - 1);
      return () => join(handle);
    }
    const task = new Tree(of, levels - 1).fork();
    return () => task.join();
  });
  return fold(seed, (child) => (joins[child] as () => number)());
}

class Tree extends RecursiveTask<number> {
  static runs = 0;
  readonly seed: number;
  readonly levels: number;
  constructor(seed: number, levels: number) {
    super();
    this.seed = seed;
    this.levels = levels;
  }
  compute(): number {
    Tree.runs++;
    return forked(this.seed, this.levels);
  }
}

const tree: Forkable<[seed: number, levels: number], number> = forkable(URL_OF_NOTHING, 'tree', forked);
const square = forkable(URL_OF_NOTHING, 'square', (n: number): number => n * n);

class Square extends RecursiveTask<number> {
  readonly n: number;
  constructor(n: number) {
    super();
    this.n = n;
  }
  compute(): number {
    return this.n * this.n;
  }
}

let body: () => unknown = () => undefined;
const runsBody = forkable(URL_OF_NOTHING, 'runsBody', () => body());

/** Runs `within` as the body of a task. */
function inTask<R>(within: () => R): R {
  body = within;
  return executor.invokeSync(runsBody) as R;
}

const CHILDREN = [0, 1, 2, 3, 4];
const anyOrder = fc.shuffledSubarray(CHILDREN, { minLength: CHILDREN.length });
const anyForms = fc.nat(2 ** CHILDREN.length - 1);

describe('on a sequential executor', () => {
  test('a tree of tasks of any forms, joined in any order, gives what plain recursion gives', () => {
    fc.assert(
      fc.property(anyOrder, anyForms, fc.integer(), fc.nat(3), (order, forms, seed, levels) => {
        shape = { order, forms };
        expect(executor.invokeSync(tree, seed, levels)).toBe(plain(seed, levels));
        expect(executor.invokeSync(new Tree(seed, levels))).toBe(plain(seed, levels));
        expectLeft();
      }),
      { numRuns: 100 },
    );
  });

  test('handles find their forks wherever their count wraps, and each of them once', () => {
    fc.assert(
      fc.property(anyOrder, anyForms, fc.nat(8), (order, forms, before) => {
        local.forks = HANDLE_MASK - before;
        inTask(() => {
          const handles = CHILDREN.map((child) => {
            const handle = fork(square, child);
            if ((forms & (1 << child)) !== 0) new Square(child).fork(); // left to the end of the body
            return handle;
          });
          expect(new Set(handles).size).toBe(CHILDREN.length);
          for (const handle of handles) expect(handle & HANDLE_MASK).toBe(handle);
          for (const child of order) {
            const handle = handles[child] as (typeof handles)[number];
            expect(join(handle)).toBe(child * child);
            expect(() => join(handle)).toThrow(/stale/);
          }
        });
        expectLeft();
      }),
      { numRuns: 200 },
    );
  });

  test('a handle is refused in another task, in a later invocation, and when no fork ever gave it', () => {
    let before: Fork<number> | undefined;
    inTask(() => {
      before = fork(square, 3);
      const nested = forkable(URL_OF_NOTHING, 'nested', () => join(before as Fork<number>));
      expect(() => join(fork(nested))).toThrow(/stale/);
      expect(join(before)).toBe(9);
    });
    const none = [before, 0.5, -1, Number.NaN, undefined, null, 2 ** 30, 'x'] as Fork<number>[];
    inTask(() => {
      for (const handle of none) expect(() => join(handle)).toThrow(/stale|takes a handle/);
      const live = fork(square, 4);
      for (const handle of none) expect(() => join(handle)).toThrow(/stale|takes a handle/);
      const task = new Square(5).fork();
      for (const handle of none) expect(() => join(handle)).toThrow(/stale|takes a handle/);
      expect([join(live), task.join()]).toEqual([16, 25]);
    });
    expectLeft();
  });

  test('a handle whose slot a task object has since taken is refused, run or not', () => {
    inTask(() => {
      const handle = fork(square, 3);
      expect(join(handle)).toBe(9);
      const task = new Square(4).fork();
      expect(() => join(handle)).toThrow(/stale/);
      ForkJoinTask.helpQuiesce();
      expect(() => join(handle)).toThrow(/stale/);
      expect(task.join()).toBe(16);
    });
    expectLeft();
  });

  test('a task runs once, however often it is joined, and is not started again', () => {
    shape = { order: CHILDREN, forms: 0 };
    Tree.runs = 0;
    const task = new Tree(5, 1);
    expect(executor.invokeSync(task)).toBe(plain(5, 1));
    expect(() => executor.invokeSync(task)).toThrow(/has run/);
    inTask(() => {
      expect([task.join(), task.invoke()]).toEqual([plain(5, 1), plain(5, 1)]);
      expect(() => task.fork()).toThrow(/has run/);
      const other = new Tree(6, 1).fork();
      expect(() => other.fork()).toThrow(/forked already/);
      expect([other.join(), other.join()]).toEqual([plain(6, 1), plain(6, 1)]);
    });
    expect(Tree.runs).toBe(2);
    expectLeft();
  });

  test('an error is the same object at every join, cancels what its body had forked, and leaves the joiner going', () => {
    const thrown = new RangeError('no');
    let sibling: Square | undefined;
    const failing = forkable(URL_OF_NOTHING, 'failing', (): never => {
      sibling = new Square(3).fork();
      throw thrown;
    });
    const outcome = (run: () => unknown): unknown => {
      try {
        return run();
      } catch (error) {
        return error;
      }
    };
    inTask(() => {
      const older = fork(square, 7);
      const task = callTask(failing).fork();
      const handle = fork(failing);
      expect([() => task.join(), () => task.join(), () => join(handle)].map(outcome)).toEqual([thrown, thrown, thrown]);
      expect(outcome(() => task.join())).toBe(thrown);
      expect(sibling?.isCancelled).toBe(true);
      expect(join(older)).toBe(49);
    });
    expect(outcome(() => inTask(() => void fork(failing)))).toBe(thrown); // never joined: it surfaces with the body's end
    expectLeft();
  });

  test('what is no task and no forkable function is refused before anything runs', async () => {
    const invokeSync = executor.invokeSync.bind(executor) as (work: unknown) => unknown;
    const invoke = executor.invoke.bind(executor) as (work: unknown) => Promise<unknown>;
    for (const bad of [undefined, null, 4, 'fib', {}, [], () => 1, Square, { compute: () => 1 }]) {
      expect(() => invokeSync(bad)).toThrow(TypeError);
      await expect(invoke(bad)).rejects.toThrow(TypeError);
      expect(() => inTask(() => fork(bad as never))).toThrow(TypeError);
    }
    expectLeft();
  });

  test('fork and invoke outside of its tasks are refused', () => {
    expect(() => fork(square, 1)).toThrow(/outside a pool/);
    expect(() => new Square(1).fork()).toThrow(/outside a pool/);
    expect(() => new Square(1).invoke()).toThrow(/outside a pool/);
    expectLeft();
  });

  test.each(['newest', 'oldest'])('a million forks of each form in one task are joined, the %s first', (first) => {
    const MILLION = 1_000_000;
    const inOrder = first === 'oldest' ? (i: number): number => i : (i: number): number => MILLION - 1 - i;
    const sum = inTask(() => {
      const handles = Array.from({ length: MILLION }, (_, i) => fork(square, i & 7));
      let total = 0;
      for (let i = 0; i < MILLION; i++) total += join(handles[inOrder(i)] as Fork<number>);
      const tasks = Array.from({ length: MILLION }, (_, i) => new Square(i & 7).fork());
      for (let i = 0; i < MILLION; i++) total += (tasks[inOrder(i)] as Square).join();
      return total;
    });
    expect(sum).toBe(2 * (MILLION / 8) * (0 + 1 + 4 + 9 + 16 + 25 + 36 + 49));
    expectLeft();
  });
});
