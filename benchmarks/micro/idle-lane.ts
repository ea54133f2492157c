/** The process of one lane: it measures the processor time of an idle pool, or of no pool. */
import { setTimeout as pause } from 'node:timers/promises';
import { ForkJoinPool } from 'furcate';
import { serveLane } from '../harness/serve-lane.js';
import { Fib } from '../tasks/fib.mjs';

export interface IdleLane {
  /** Workers of the pool; 0 for no pool. */
  readonly parallelism: number;
  readonly via: 'invoke' | 'invokeSync';
}

export interface Watch {
  /** Time from the last work to the beginning of the watch. */
  readonly restMs: number;
  readonly watchMs: number;
}

serveLane<IdleLane>(async ({ parallelism, via }) => {
  const pool = parallelism === 0 ? undefined : new ForkJoinPool({ parallelism });
  await pool?.ready();
  return {
    /** The share of one core that all threads of this process use together while it does nothing. */
    watch: async (argument) => {
      const { restMs, watchMs } = argument as Watch;
      const answer = via === 'invoke' ? await pool?.invoke(new Fib(24)) : pool?.invokeSync(new Fib(24));
      if (answer !== undefined && answer !== 46_368) throw new Error(`fib(24) was ${answer}.`);
      await pause(restMs);
      const startMs = performance.now();
      const before = process.cpuUsage();
      await pause(watchMs);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000 / (performance.now() - startMs);
    },
  };
});
