/** A task keeps its state in itself: one that cannot be written to is refused before anything of its invocation exists. */
import {
  type AsyncForkable,
  type AsyncTask,
  type Forkable,
  ForkJoinPool,
  type ForkJoinTask,
  free,
  SequentialExecutor,
  sharedArray,
  task,
} from 'furcate';
import { afterAll, describe, expect, test } from 'vitest';
import { executors, fixture } from '../helpers/executors.js';
import { heapCounters } from '../helpers/heap-counters.js';
import { countListeners } from '../helpers/listeners.js';
import { errorOf } from '../helpers/outcomes.js';

type How = 'freeze' | 'seal' | 'preventExtensions';
type Class<T> = new (how?: How, whenRun?: How) => T;

const { same, Treated, AsyncTreated, inScope, onStack } = await fixture<{
  readonly same: Forkable<[x: unknown], unknown>;
  readonly Treated: Class<ForkJoinTask<number>>;
  readonly AsyncTreated: Class<AsyncTask<number>>;
  readonly inScope: AsyncForkable<[how?: How, whenRun?: How], unknown[]>;
  readonly onStack: Forkable<unknown[], unknown>;
}>('unwritable.mjs');

const REFUSED = /^furcate: \w+ cannot be written to, .* Do not freeze it: use Object.seal\(\)/;

const throwing = (): never => {
  throw new Error('no writes');
};

/** Tasks that cannot be written to. */
const UNWRITABLE: Readonly<Record<string, () => unknown>> = {
  'a frozen call': () => Object.freeze(task(same, 1)),
  'a frozen task': () => Object.freeze(new Treated()),
  'a task of a class that freezes itself': () => new Treated('freeze'),
  'a frozen asynchronous task': () => new AsyncTreated('freeze'),
  'a task whose state has a getter only': () => Object.defineProperty(new Treated(), '$state', { get: () => 0 }),
  'a task whose state has a setter that throws': () =>
    Object.defineProperty(new Treated(), '$state', { get: () => 0, set: throwing }),
  'a proxy that refuses writes': () => new Proxy(new Treated(), { set: throwing }),
};

type Loose = (work: unknown, options?: object) => Promise<unknown>;

describe.each(Object.entries(UNWRITABLE))('%s', (_, make) => {
  const pool = new ForkJoinPool({ parallelism: 1, maxQueue: 2 });
  afterAll(() => pool.close()); // waits for all that is in flight

  test('is refused, and leaves nothing behind', async () => {
    const { signal } = new AbortController();
    const listeners = countListeners(signal);
    const counters = heapCounters(sharedArray as never);
    for (let k = 0; k < 10; k++) {
      const options = { signal, timeoutMs: 1e9, graceMs: 1e9, onReport: () => {} };
      const error = (await errorOf((pool.invoke as Loose).call(pool, make(), options))) as Error;
      expect([error.name, error.message]).toEqual(['TypeError', expect.stringMatching(REFUSED)]);
    }
    expect(listeners()).toBe(0);
    expect(await pool.awaitQuiescence()).toBe(true);
    expect(await pool.invoke(same, 3), 'with room in the queue').toBe(3);
    const xs = sharedArray(Float64Array, 1000);
    await pool.invoke(same, xs); // from now on another thread may know it
    const { blocks } = counters.inUse();
    free(xs);
    expect(counters.inUse().blocks).toBe(blocks - 1);
  });

  test('is refused by invokeSync and by a SequentialExecutor', async () => {
    const work = make();
    const isAsync = work instanceof AsyncTreated;
    if (!isAsync) expect(() => pool.invokeSync(work as ForkJoinTask<number>)).toThrow(REFUSED);
    const sequential = new SequentialExecutor();
    const error = (await errorOf((sequential.invoke as Loose).call(sequential, make()))) as Error;
    expect(error.message).toMatch(REFUSED);
    expect(pool.invokeSync(same, 3)).toBe(3);
  });
});

const warm = executors().filter(({ cold }) => !cold);
const runsSync = ({ name }: { readonly name: string }): boolean => name.startsWith('invokeSync');

describe.each(warm)('under $name', ({ name, run }) => {
  const isSync = runsSync({ name });

  test.each(['seal', 'preventExtensions'] as const)('a class may %s its tasks', async (how) => {
    expect(await run(new Treated(how))).toBe(7);
    expect(await run(onStack, how)).toBe(7);
    if (isSync) return;
    expect(await run(new AsyncTreated(how) as never)).toBe(7);
    expect(await run(inScope as never, how)).toEqual([7, 7]);
  });

  test('a frozen task cannot be forked by a task, which goes on', async () => {
    expect(await run(onStack, 'freeze')).toMatch(/read.?only/);
  });

  test('a task that is frozen while it is forked, or runs, fails, and hangs nobody', async () => {
    expect(await run(onStack, undefined, 'freeze')).toMatch(REFUSED);
    const error = (await errorOf(run(new Treated(undefined, 'freeze')))) as Error;
    expect(error.message).toMatch(REFUSED);
    if (isSync) return;
    const [synchronous] = (await run(inScope as never, undefined, 'freeze')) as unknown[];
    expect(synchronous).toMatch(REFUSED);
  });
});

test.each(warm.filter((executor) => !runsSync(executor)))(
  'a frozen task cannot be forked in a scope, which goes on: $name',
  async ({ run }) => {
    const refused = expect.stringMatching(REFUSED);
    expect(await run(inScope as never, 'freeze')).toEqual([refused, refused]);
  },
);

test('a task that is frozen while it is in flight settles with an error', async () => {
  const pool = new ForkJoinPool({ parallelism: 1 });
  const work = new Treated();
  const settled = errorOf(pool.invoke(work));
  Object.freeze(work);
  expect(((await settled) as Error).message).toMatch(REFUSED);
  expect(await pool.awaitQuiescence()).toBe(true);
  await pool.close();
});
