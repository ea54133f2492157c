/** The numbers of a profile; on the thread that called `profile`. */

/**
 * How well a profile tells work and span: `'exact'` what was charged; `'measured'` within 7 % of the work and 5 % of the span; `'interval'` between `workBounds` and
 * `spanBounds`; `'counts'` not at all, because the tasks are too short for the clock: only counts of tasks and forks are certain.
 */
export type Precision = 'exact' | 'measured' | 'interval' | 'counts';

/** What the tasks of one class, function or algorithm have cost. */
export interface TaskProfile {
  readonly name: string;
  /** The module that registered it; undefined for an algorithm. */
  readonly module: string | undefined;
  /** How many have run; of an algorithm, how many of its units. */
  readonly tasks: number;
  /** Cost without what they have forked. */
  readonly work: number;
  /** How much of that is on the path of the span. */
  readonly onSpan: number;
}

/** Where the time of all threads went, in the shortest run (microseconds). Threads that compute a call on its caller (`invokeSync`) are not in it. */
export interface TimeProfile {
  /** Workers of the pools that were used: P. */
  readonly threads: number;
  /** How long the run took: T(P). */
  readonly wall: number;
  /** P * T(P), which the rest adds up to, but for what tasks cost on the caller, and the errors of the clock. */
  readonly total: number;
  /** T1. */
  readonly work: number;
  /** What the tasks cost more in this run than the least: threads that share memory and processors slow each other down. */
  readonly inflation: number;
  /** In joins, for tasks of other threads, with nothing to help with. */
  readonly waiting: number;
  /** In tasks, but not in the program's code: forks, joins, steals, and what `profile` itself costs. */
  readonly scheduling: number;
  /** Without a task: asleep, or in search of one. */
  readonly idle: number;
  /** Before the threads had started. */
  readonly start: number;
}

/** What the scheduler did in the shortest run. It depends on the schedule. */
export interface ScheduleCounts {
  readonly steals: number;
  readonly publications: number;
  /** Published tasks that were taken back. */
  readonly reclaimed: number;
  /** Steals that lost a race. */
  readonly failedSteals: number;
  readonly sleeps: number;
}

/** One part of the path of the span: code that runs one after the other. */
export interface SpanStep {
  readonly name: string;
  readonly module: string | undefined;
  readonly cost: number;
}

/** What the calls of one region have cost together. */
export interface RegionProfile {
  readonly name: string;
  readonly calls: number;
  readonly work: number;
  readonly span: number;
  readonly parallelism: number;
}

/** A speed-up that was measured, for the plot. */
export interface MeasuredSpeedUp {
  readonly threads: number;
  readonly speedUp: number;
}

/** Between which bounds a speed-up lies. */
export interface SpeedUp {
  readonly atLeast: number;
  /** The prediction. */
  readonly expected: number;
  readonly atMost: number;
}

/** What tables and plots need of a profile. */
export interface ProfileNumbers {
  readonly unit: 'us' | 'units';
  readonly work: number;
  readonly span: number;
  readonly parallelism: number;
  readonly burdenedSpan: number;
  readonly burdenedParallelism: number;
  readonly precision: Precision;
  readonly workBounds: readonly [atLeast: number, atMost: number];
  readonly spanBounds: readonly [atLeast: number, atMost: number];
  readonly stealCost: number;
  readonly time: TimeProfile | undefined;
  readonly schedule: ScheduleCounts;
  readonly c: number;
  readonly tasks: number;
  readonly forks: number;
  readonly apart: number;
  readonly byTask: readonly TaskProfile[];
  readonly path: readonly SpanStep[];
  readonly regions: readonly RegionProfile[];
  speedUp(threads: number): SpeedUp;
}
