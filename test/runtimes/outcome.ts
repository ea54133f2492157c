/** What became of a test file on a host. */
export type TestOutcome =
  | { readonly state: 'passed' }
  | { readonly state: 'failed'; readonly errors: readonly string[] }
  /** By its nature, the host cannot run it. */
  | { readonly state: 'not possible'; readonly reason: string };

export interface FileOutcome {
  readonly file: string;
  /** What was selected of the file, by full name. */
  readonly tests: readonly (readonly [name: string, outcome: TestOutcome])[];
  /** Failures that belong to no test. */
  readonly strays: readonly string[];
  readonly seconds: number;
}
