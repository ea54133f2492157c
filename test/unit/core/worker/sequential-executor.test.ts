import { describe, expect, test } from 'vitest';
import { local } from '../../../../src/core/deque/private-stack.js';
import { ForkJoinTask, RecursiveTask } from '../../../../src/core/task/fork-join-task.js';
import { type Forkable, fork, forkable, join } from '../../../../src/core/task/function-task.js';
import { isComputing } from '../../../../src/core/worker/scheduler.js';
import { thread } from '../../../../src/core/worker/seat.js';
import { SequentialExecutor } from '../../../../src/core/worker/sequential-executor.js';

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
  expect([local.sp, local.base, local.split, thread.seat, thread.pool, thread.sequential]).toEqual([
    0,
    0,
    0,
    null,
    undefined,
    false,
  ]);
  expect(isComputing()).toBe(false);
  expect(local.stack.every((item) => item === null)).toBe(true);
};

describe('a sequential executor', () => {
  test('runs tasks of both forms to their end, on the caller, without any registration', () => {
    expect(executor.invokeSync(new Fib(15))).toBe(610);
    expect(executor.invokeSync(fib, 15)).toBe(610);
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
