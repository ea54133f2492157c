/** What a benchmark is, and what it is given. */
import type { Effort } from './compare.js';
import type { Figure } from './figure.js';

export interface Benchmark {
  readonly name: string;
  /** What its figures say, in a sentence. */
  readonly says: string;
  /** What they must not be taken for. */
  readonly notFor: string;
  /** Takes `--against`. */
  readonly comparesBuilds?: boolean;
  measure(setup: Setup): Promise<readonly Figure[]>;
}

export interface Setup {
  /** A smoke run: same work and same checks, a few rounds only, and figures not worth keeping. */
  readonly short: boolean;
  /** Rounds of every comparison, in the place of each benchmark's own number. */
  readonly rounds?: number;
  /** A directory with another build of the package, to be measured beside this one. */
  readonly against?: string;
}

/** The rounds of a benchmark, unless the command line says how many; a smoke run has few. */
export const effort = ({ short, rounds }: Setup, usual: number, warmUps = 2): Effort =>
  short
    ? { rounds: rounds ?? Math.min(usual, 3), warmUps: Math.min(warmUps, 1) }
    : { rounds: rounds ?? usual, warmUps };
