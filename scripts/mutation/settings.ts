/** What `scripts/mutate.ts` tells the plugins, as an option of StrykerJS, which passes it on to its child processes. */

/** Tests of the source in StrykerJS's own vitest runner, the models, or tests of the built package in the runner `built`. */
export type Stage = 'source' | 'model' | 'built';

export interface Settings {
  readonly stage: Stage;
  /** A file with the keys of the mutants that this stage measures. */
  readonly chosenFile: string;
  /** One line of JSON for each mutant that was measured. */
  readonly resultFile: string;
  /** Where the runner `built` says which test files fail on instrumented code, and are left out. */
  readonly skippedFile: string;
  /** Test files of the stage. */
  readonly testFiles: readonly string[];
}

/** One mutant and what became of it. */
export interface Outcome {
  readonly key: string;
  readonly file: string;
  /** A hash of the file: what was measured on an older source no longer counts. */
  readonly source: string;
  /** From 1, as editors count. */
  readonly line: number;
  readonly mutator: string;
  readonly original: string;
  readonly replacement: string;
  readonly status: string;
  /** The first words of the failure. */
  readonly reason: string;
  /** Milliseconds since the last mutant was done. */
  readonly ms: number;
}
