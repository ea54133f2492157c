/** Executors for tests of pipelines: without workers, and with 1, 2 and 4, warm and cold, also checked. */
import { type Executor, SequentialExecutor } from 'furcate';
import { ofEachKind } from './environment.js';
import { allCold, type Pools, warmPools } from './pools.js';

type Use = <T>(call: (pool: Executor) => Promise<T>) => Promise<T>;

const ofPools = (pools: Pools): [name: string, use: Use] => [pools.name, (call) => pools.use(call)];

const sequential = new SequentialExecutor();
export const EXECUTORS: readonly (readonly [name: string, use: Use, isCold: boolean])[] = [
  ['SequentialExecutor', (call) => call(sequential), false],
  ...ofEachKind([1, 2, 4], (parallelism) => parallelism === 2).flatMap((parallelism) =>
    [false, true].map((checked) => [...ofPools(warmPools(parallelism, checked)), false] as const),
  ),
  ...ofEachKind(allCold(), ({ parallelism }) => parallelism === 2).map((pools) => [...ofPools(pools), true] as const),
];
