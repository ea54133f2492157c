/** What a host tells the harness while it runs a test file. Each event is sent at once, so that a crash or a hang has a name. */

export type TestState = 'passed' | 'failed';

export type HostEvent =
  /** The tests of the file, in their order. Sent before the first one runs. */
  | { readonly type: 'collected'; readonly tests: readonly string[] }
  | { readonly type: 'begin'; readonly test: number; readonly timeoutMs: number }
  | { readonly type: 'end'; readonly test: number; readonly state: TestState; readonly errors: readonly string[] }
  /** An error that belongs to no test: the file does not load, a hook fails, a rejection that nobody handles. */
  | { readonly type: 'stray'; readonly error: string }
  /** What a program prints. */
  | { readonly type: 'output'; readonly text: string }
  /** All tests have run, or the program has ended without an error. */
  | { readonly type: 'done' };

/** Sends an event, and does not wait for its arrival. */
export type Tell = (event: HostEvent) => void;

/** What the harness asks of a host. */
export interface Order {
  /** The test file, or a program (`.mjs`), relative to the root of the project. */
  readonly file: string;
  /** A regular expression for the full names of tests: only these run. */
  readonly pattern?: string;
  /** Regular expressions for the full names of tests that this host cannot run by its nature. */
  readonly impossible: readonly string[];
  /** Numbers of tests that an earlier run of this file has told of. */
  readonly skipped: readonly number[];
  /** Time limit of a test that names none. */
  readonly timeoutMs: number;
  /** Variables of the environment for the tests, also where there is no environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** The folder of the checkout, as a URL. */
  readonly checkout: string;
}
