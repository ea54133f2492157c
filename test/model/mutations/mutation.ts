/**
 * Bugs planted in the shipped protocol, one at a time, each with the scenario that must find it.
 *
 * The changes say in which function what is done to which operation (scripts/changes), so that rewording the source breaks none of them. One that
 * no longer fits is an error, so the list follows the source. Many are bugs that others have had.
 */
import type { Change } from '../../../scripts/changes/index.js';

export interface Mutation {
  /** What is wrong with it. */
  readonly name: string;
  readonly changes: readonly Change[];
  /** The scenario that finds it, as in ../scenarios/all.ts. */
  readonly caughtBy: string;
  /** How far the scenario must be taken, where that is more than in all.ts. */
  readonly bound?: number;
  /** Where this very mistake was made before. */
  readonly known?: string;
}
