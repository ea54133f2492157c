/** Calls on the thread of the tests itself. It may be a page, which must not block: test/unit/core/pool/must-not-block.test.ts has what it is told. */
import type { Forkable, ForkJoinPool, ForkJoinTask } from 'furcate';
import { fixture } from './executors.js';

/** Whether Sync forms and `invokeSync` work here, outside of tasks. */
export const { mayBlock } = await fixture<{ readonly mayBlock: boolean }>('this-thread.mjs');

type AnyInvoke = (work: unknown, ...args: unknown[]) => unknown;

/** What `invokeSync` gives, or `invoke` on a page. */
export const invokeHere = async (
  pool: ForkJoinPool,
  work: Forkable<never[], unknown> | ForkJoinTask<unknown>,
  ...args: unknown[]
): Promise<unknown> => ((mayBlock ? pool.invokeSync : pool.invoke) as AnyInvoke).call(pool, work, ...args);
