/** Everything that runs tasks, so that one property can be asked of all: pools of several sizes, pools with cold
 * workers, and the sequential version. */
import { type Forkable, type ForkJoinTask, SequentialExecutor } from 'furcate';
import { variable } from './environment.js';
import { allCold, coldPools, type Pools, warmPools } from './pools.js';

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
  /** Each run has workers that have never seen any code, and starts them: properties make do with few runs. */
  readonly cold: boolean;
  run(work: Scenario | ForkJoinTask<unknown>, ...args: unknown[]): Promise<unknown>;
}

/**
 * Fewer executors. `few`: one of each kind, where the tests run on many runtimes. `pair`: pools of two, because mutation tests run once for
 * each mutant. `here`: tasks run on the calling thread alone, because mutation tests of the source look at this thread.
 */
const FEWER = variable('FURCATE_EXECUTORS');
const HERE = FEWER === 'here';
const PAIR = FEWER === 'pair';
const FEW = FEWER === 'few';
const SIZES = HERE ? [1] : PAIR || FEW ? [2] : [1, 2, 4];

type AnyInvoke = (work: unknown, ...args: unknown[]) => unknown;

const executorOn = (method: 'invoke' | 'invokeSync', pools: Pools): Executor => ({
  name: `${method}, ${pools.name}`,
  parallelism: pools.parallelism,
  checked: pools.checked,
  steals: pools.parallelism > 1,
  cold: pools.cold,
  run: (work, ...args) => pools.use((pool) => (pool[method] as AnyInvoke).call(pool, work, ...args)),
});

/** All executors; their pools are closed after the tests of the file that asks for them. */
export function executors(): Executor[] {
  const sequential = new SequentialExecutor();
  const all: Executor[] = [
    {
      name: 'SequentialExecutor',
      parallelism: 1,
      checked: false,
      steals: false,
      cold: false,
      run: (sequential.invoke as AnyInvoke).bind(sequential) as Executor['run'],
    },
  ];
  for (const parallelism of SIZES) {
    for (const checked of [false, true]) {
      const pools = warmPools(parallelism, checked);
      if (!HERE) all.push(executorOn('invoke', pools));
      if (!PAIR) all.push(executorOn('invokeSync', pools));
    }
  }
  const cold = HERE || PAIR ? [] : FEW ? [coldPools(2)] : allCold();
  all.push(...cold.map((pools) => executorOn('invoke', pools)));
  return all;
}

/** What a fixture exports, loaded by Node itself. */
export async function fixture<T = Record<string, Scenario>>(name: string): Promise<T> {
  return (await import(new URL(`../fixtures/${name}`, import.meta.url).href)) as T;
}

/** The text of a fixture. */
export async function fixtureText(name: string): Promise<string> {
  const url = new URL(`../fixtures/${name}`, import.meta.url);
  if (typeof process === 'undefined') return (await fetch(url)).text();
  return process.getBuiltinModule('node:fs').readFileSync(url, 'utf8');
}
