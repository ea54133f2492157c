/** Everything that runs tasks, so that one property can be asked of all: pools of several sizes and the sequential twin. */
import { type Forkable, ForkJoinPool, type ForkJoinTask, SequentialExecutor } from 'furcate';
import { afterAll } from 'vitest';

/** A function task of a fixture. */
export type Scenario = Forkable<unknown[], unknown>;

/** One way to run tasks. Pools are made on first use. */
export interface Executor {
  readonly name: string;
  readonly parallelism: number;
  /** Runs every forked task as if it were stolen. */
  readonly checked: boolean;
  /** There is another thread that may steal. */
  readonly steals: boolean;
  run(work: Scenario | ForkJoinTask<unknown>, ...args: unknown[]): Promise<unknown>;
}

type AnyInvoke = (work: unknown, ...args: unknown[]) => unknown;

/** Makes a pool once, on first use. */
function lazily(parallelism: number, checked: boolean): { pool(): ForkJoinPool; close(): Promise<void> } {
  let made: ForkJoinPool | undefined;
  const pool = (): ForkJoinPool => {
    made ??= new ForkJoinPool({ parallelism, checked });
    return made;
  };
  return { pool, close: async () => made?.close() };
}

/** All executors; their pools are closed after the tests of the file that asks for them. */
export function executors(): Executor[] {
  const sequential = new SequentialExecutor();
  const all: Executor[] = [
    {
      name: 'SequentialExecutor',
      parallelism: 1,
      checked: false,
      steals: false,
      run: (sequential.invoke as AnyInvoke).bind(sequential) as Executor['run'],
    },
  ];
  for (const parallelism of [1, 2, 4]) {
    for (const checked of [false, true]) {
      const { pool, close } = lazily(parallelism, checked);
      afterAll(close);
      const how = `P=${parallelism}${checked ? ', checked' : ''}`;
      const common = { parallelism, checked, steals: parallelism > 1 };
      all.push({
        ...common,
        name: `invoke, ${how}`,
        run: async (work, ...args) => (pool().invoke as AnyInvoke).call(pool(), work, ...args),
      });
      all.push({
        ...common,
        name: `invokeSync, ${how}`,
        run: async (work, ...args) => (pool().invokeSync as AnyInvoke).call(pool(), work, ...args),
      });
    }
  }
  return all;
}

/** What a fixture exports, loaded by Node itself. */
export async function fixture<T = Record<string, Scenario>>(name: string): Promise<T> {
  return (await import(new URL(`../fixtures/${name}`, import.meta.url).href)) as T;
}
