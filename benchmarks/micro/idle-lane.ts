/** The process of one lane: a pool that has worked and is now idle, or none, and what processor time it uses. */
import { setTimeout as pause } from 'node:timers/promises';
import { ForkJoinPool } from 'furcate';
import { serveLane } from '../harness/serve-lane.js';
import { Fib } from '../tasks/fib.mjs';

export interface IdleLane {
  /** 0 for no pool. */
  readonly parallelism: number;
  readonly via: 'invoke' | 'invokeSync';
}

export interface Watch {
  /** From the last work to the beginning of the watch. */
  readonly restMs: number;
  readonly watchMs: number;
}

serveLane<IdleLane>(async ({ parallelism, via }) => {
  const pool = parallelism === 0 ? undefined : new ForkJoinPool({ parallelism });
  await pool?.ready();
  return {
    /** The share of one core that this process uses while it does nothing, all its threads together. */
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
