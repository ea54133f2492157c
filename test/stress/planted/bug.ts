/**
 * Bugs planted in the shipped source, one at a time, each with the generator that must find it. Most are bugs that the library had.
 *
 * The changes say in which function what is done to which operation (scripts/changes). One that no longer fits is an error, so the list follows
 * the source.
 */
import type { Change } from '../../../scripts/changes/index.js';
import type { GeneratorName } from '../generators.js';

export interface PlantedBug {
  /** What is wrong with it. */
  readonly name: string;
  readonly changes: readonly Change[];
  readonly caughtBy: GeneratorName;
  /** Whether something that hangs tells of it. */
  readonly hangs?: true;
  /** Whether the tests plant it too, because it is found within seconds. `npm run planted` plants all. */
  readonly isQuick?: true;
}
