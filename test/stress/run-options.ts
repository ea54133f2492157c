/** How a generator is run: by a test, by `npm run stress`, with a planted bug. */

export interface RunOptions {
  readonly seed: number;
  readonly numRuns: number;
  /** Whether a failure is made shorter. Where something hangs, each attempt takes as long as the limits for hangs say. */
  readonly shrinks?: boolean;
  /** Only commands whose names match, for a look at some of them. */
  readonly only?: RegExp;
}

/** What fast-check takes. */
export const parametersOf = ({ seed, numRuns, shrinks = true }: RunOptions) => ({
  seed,
  numRuns,
  endOnFailure: !shrinks,
});
