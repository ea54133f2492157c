/**
 * Bugs planted in the shipped protocol, one at a time, each with the scenario that must find it.
 *
 * A mutation replaces a piece of source that must be there exactly once; one that no longer fits is an error, so the list
 * follows the source. Many are bugs that others have had.
 */
import type { Change } from '../explorer/load-source.js';

export interface Mutation extends Change {
  /** What is wrong with it. */
  readonly name: string;
  /** The scenario that finds it, as in ../scenarios/all.ts. */
  readonly caughtBy: string;
  /** How far the scenario must be taken, where that is more than in all.ts. */
  readonly bound?: number;
  /** Where this very mistake was made before. */
  readonly known?: string;
}
