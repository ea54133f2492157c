/**
 * Where a test's calls run: in a pool that is made once, or each in a fresh pool, on workers that have never seen any code.
 *
 * A worker that ran an earlier call has loaded modules which a later call forgot to name among what it needs. So a call that
 * forgets one fails in production and passes in a test with one pool. With cold workers it fails in the test too.
 */
import { ForkJoinPool, type ForkJoinPoolOptions } from 'furcate';
import { afterAll, afterEach } from 'vitest';

export interface Pools {
  readonly name: string;
  readonly parallelism: number;
  readonly checked: boolean;
  /** Each call has workers that have never seen any code. A worker takes some 50 ms of CPU to start: be sparing with calls. */
  readonly cold: boolean;
  /** Gives `call` a pool, whose workers are up if they are cold; settles with what the call gives. */
  use<T>(call: (pool: ForkJoinPool) => T | PromiseLike<T>): Promise<T>;
}

/** One pool for all calls, made on first use and closed after the tests of the file that asks for it. */
export function warmPools(parallelism: number, checked = false): Pools {
  let made: ForkJoinPool | undefined;
  afterAll(() => made?.close());
  return {
    name: `P=${parallelism}${checked ? ', checked' : ''}`,
    parallelism,
    checked,
    cold: false,
    use: async (call) => {
      made ??= new ForkJoinPool({ parallelism, checked });
      return call(made);
    },
  };
}

/** A pool of its own for each call. */
export function coldPools(parallelism: number): Pools {
  return {
    name: `P=${parallelism}, cold`,
    parallelism,
    checked: false,
    cold: true,
    use: async (call) => {
      const pool = new ForkJoinPool({ parallelism });
      try {
        await pool.ready(); // or a caller that computes too is done before the first worker is up
        return await call(pool);
      } finally {
        await pool.close();
      }
    },
  };
}

/** Cold pools: with one worker, which must load all code; and with two, of which one gets to it by a steal. */
export const allCold = (): Pools[] => [coldPools(1), coldPools(2)];

/**
 * Makes pools that end with the test that has made them.
 *
 * @param end how: `close` finishes what is in flight
 * @param defaults options of all of them
 */
export function poolMaker(
  end: 'close' | 'terminate',
  defaults: ForkJoinPoolOptions = {},
): (parallelism: number, options?: ForkJoinPoolOptions) => ForkJoinPool {
  const pools: ForkJoinPool[] = [];
  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool[end]();
  });
  return (parallelism, options) => {
    const pool = new ForkJoinPool({ parallelism, ...defaults, ...options });
    pools.push(pool);
    return pool;
  };
}
