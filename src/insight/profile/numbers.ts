/** The numbers of a profile; on the thread that called `profile`. */

/**
 * Precision with which a profile tells work and span: `'exact'` what was charged; `'measured'` within 7 % of the work and 5 % of the span; `'interval'` between
 * `workBounds` and `spanBounds`; `'counts'` not at all, because the tasks are too short for the clock: only counts of tasks and forks are certain.
 */
export type Precision = 'exact' | 'measured' | 'interval' | 'counts';

/** A number in at most seven characters or so. */
export function shortNumber(value: number): string {
  if (Number.isInteger(value) && value < 1e9) return value.toLocaleString('en-US');
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
}

/** Costs of the tasks of one class, function or algorithm. */
export interface TaskProfile {
  readonly name: string;
  /** The module that registered it; of an algorithm the file that calls it, if all its calls are in one line. */
  readonly module: string | undefined;
  /** The line of the module at which it is written, or the algorithm is called, from 1 up. Undefined for what this thread has not imported, and where the runtime does not tell: Node does. */
  readonly line: number | undefined;
  /** Number of tasks that have run; of an algorithm, of its units. */
  readonly tasks: number;
  /** Cost without what they have forked. */
  readonly work: number;
  /** Part of that which is on the path of the span. */
  readonly onSpan: number;
  /**
   * Factor by which a task takes longer with all threads than on one, at least. Where that is much more than 1, threads write to the same cache lines (false
   * sharing), or wait for memory. Undefined if costs were charged, or one thread has run everything.
   */
  readonly inflation: number | undefined;
}

/**
 * Breakdown of the time of all threads, in the shortest run (microseconds). Threads that compute a call on its caller (`invokeSync`) are not in it.
 */
export interface TimeProfile {
  /** Workers of the pools that were used: P. */
  readonly threads: number;
  /** Time that the run took: T(P). */
  readonly wall: number;
  /** P * T(P), which the rest adds up to, but for what tasks cost on the caller, and the errors of the clock. */
  readonly total: number;
  /** T1, but for the garbage in it. */
  readonly work: number;
  /** Excess cost of the tasks in this run over the least, but for garbage: threads that share memory and processors slow each other down. */
  readonly inflation: number;
  /** In tasks, but collecting garbage: on average of all runs. Only Node tells; 0 elsewhere. */
  readonly garbage: number;
  /** In joins, for tasks of other threads, with nothing to help with. */
  readonly waiting: number;
  /** In tasks, but not in the program's code: forks, joins, steals, and what `profile` itself costs. */
  readonly scheduling: number;
  /** Without a task: asleep, or in search of one. */
  readonly idle: number;
  /** Before the threads had started. */
  readonly start: number;
}

/** Counts of what the scheduler did in the shortest run. It depends on the schedule. */
export interface ScheduleCounts {
  readonly steals: number;
  readonly publications: number;
  /** Published tasks that were taken back. */
  readonly reclaimed: number;
  /** Steals that lost a race. */
  readonly failedSteals: number;
  readonly sleeps: number;
  /** Bytes of tasks and their results that went from thread to thread, or from the caller to a thread and back. */
  readonly encodedBytes: number;
  /** Bytes that the caller copied into shared memory and out of it, of arrays that are not shared. */
  readonly copiedBytes: number;
}

/** One part of the path of the span: code that runs one after the other. */
export interface SpanStep {
  readonly name: string;
  readonly module: string | undefined;
  readonly cost: number;
}

/** Costs of the calls of one region together. */
export interface RegionProfile {
  readonly name: string;
  readonly calls: number;
  readonly work: number;
  readonly span: number;
  readonly parallelism: number;
}

/** Figures of a stage of a pipeline in the shortest run; stages of the same name are added up. Times in microseconds, even if costs were charged. */
export interface StageProfile {
  /** As errors name it, such as `map(), stage 2 of the pipeline`. Stages that run as one are named together. */
  readonly stage: string;
  /** Items that its functions have dealt with. */
  readonly items: number;
  /** Tasks in which these were. */
  readonly calls: number;
  /** Cost of the functions, in the unit of the report. */
  readonly work: number;
  /** Time that an item waited for its task, on average. */
  readonly wait: number;
  /** Number of items that have waited, on average over the time of the run, and at most. */
  readonly meanQueue: number;
  readonly mostQueue: number;
  /** Bytes of the items on their way to the threads. */
  readonly encodedBytes: number;
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

/** Numbers of a profile that tables and plots need. */
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
  readonly between: number;
  readonly taskBounds: readonly [atLeast: number, atMost: number];
  readonly tasks: number;
  readonly forks: number;
  readonly apart: number;
  readonly byTask: readonly TaskProfile[];
  readonly path: readonly SpanStep[];
  readonly regions: readonly RegionProfile[];
  readonly stages: readonly StageProfile[];
  readonly suspicions: readonly string[];
  speedUp(threads: number): SpeedUp;
}
