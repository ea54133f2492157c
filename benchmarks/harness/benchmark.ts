/** What a benchmark is, and what it is given. */
import type { Effort } from './compare.js';
import type { Figure } from './figure.js';

export interface Benchmark {
  readonly name: string;
  /** What its figures say, in a sentence. */
  readonly says: string;
  /** What they must not be taken for. */
  readonly notFor: string;
  measure(setup: Setup): Promise<readonly Figure[]>;
}

export interface Setup {
  /** A smoke run: same work and same checks, a few rounds only, and figures not worth keeping. */
  readonly short: boolean;
}

/** The rounds of a benchmark; a smoke run has few. */
export const effort = ({ short }: Setup, rounds: number, warmUps = 2): Effort =>
  short ? { rounds: Math.min(rounds, 3), warmUps: Math.min(warmUps, 1) } : { rounds, warmUps };
