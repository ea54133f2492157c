/** The interface of a benchmark, and the settings of a run. */
import type { Effort } from './compare.js';
import type { Figure } from './figure.js';

export interface Benchmark {
  readonly name: string;
  /** A sentence on what its figures say. */
  readonly says: string;
  /** Conclusions that the figures do not support. */
  readonly notFor: string;
  /** Whether it accepts `--against`. */
  readonly comparesBuilds?: boolean;
  measure(setup: Setup): Promise<readonly Figure[]>;
}

export interface Setup {
  /** A smoke run: same work and same checks in a few rounds. Its figures are not worth keeping. */
  readonly short: boolean;
  /** Rounds of every comparison, overriding each benchmark's own number. */
  readonly rounds?: number;
  /** A directory with another build of the package, to compare with this one. */
  readonly against?: string;
}

/** How many rounds a benchmark runs: its usual number, fewer in a smoke run, or the number on the command line. */
export const effort = ({ short, rounds }: Setup, usual: number, warmUps = 2): Effort =>
  short
    ? { rounds: rounds ?? Math.min(usual, 3), warmUps: Math.min(warmUps, 1) }
    : { rounds: rounds ?? usual, warmUps };
