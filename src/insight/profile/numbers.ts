/** The numbers of a profile; on the thread that called `profile`. */

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

/** What tables and plots need of a profile. */
export interface ProfileNumbers {
  readonly unit: 'us' | 'units';
  readonly work: number;
  readonly span: number;
  readonly parallelism: number;
  readonly tasks: number;
  readonly forks: number;
  readonly apart: number;
  readonly byTask: readonly TaskProfile[];
  readonly path: readonly SpanStep[];
  readonly regions: readonly RegionProfile[];
  speedUp(threads: number): { readonly atLeast: number; readonly atMost: number };
}
