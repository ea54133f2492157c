/** The settings that `scripts/mutate.ts` passes to the plugins, as an option of StrykerJS, which passes it to its child processes. */

/** `source`: tests of the source in StrykerJS's vitest runner. `model`: the models. `built`: tests of the built package. */
export type Stage = 'source' | 'model' | 'built';

export interface Settings {
  readonly stage: Stage;
  /** The file with the keys of the mutants that this stage measures. */
  readonly chosenFile: string;
  /** The file with the results, one line of JSON for each mutant. */
  readonly resultFile: string;
  /** The file in which the runner `built` lists test files that fail without a mutant, and are left out. */
  readonly skippedFile: string;
  /** Test files of the stage. */
  readonly testFiles: readonly string[];
}

/** A mutant, and the result of running the tests on it. */
export interface Outcome {
  readonly key: string;
  readonly file: string;
  /** A hash of the file, because results for an older source no longer count. */
  readonly source: string;
  /** The line, from 1. */
  readonly line: number;
  readonly mutator: string;
  readonly original: string;
  readonly replacement: string;
  readonly status: string;
  /** The beginning of the failure message. */
  readonly reason: string;
  /** Time since the previous mutant was done (ms). */
  readonly ms: number;
}
