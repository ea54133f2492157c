/**
 * What hosts cannot do by their nature, and which tests need it. This is the one place that keeps a test from a host; the table of a run
 * counts such tests as not possible, with these reasons. What a host could do and does not yet is no reason: such a test fails.
 */

import type { FileOutcome } from './outcome.js';

/** Tests that a host cannot run. */
export interface Impossible {
  /** Hosts by name, or by the beginning of a name: `chromium` means its page and its worker. */
  readonly hosts: readonly string[];
  /** The file ends so. */
  readonly file: string;
  /** A regular expression for full names of tests. Left out: all tests of the file. */
  readonly tests?: string;
  readonly reason: string;
}

const PAGES = ['chromium-page', 'firefox-page', 'webkit-page'];
const BROWSERS = ['chromium', 'firefox', 'webkit'];

/** Tests of calls that block: of `invokeSync`, and of Sync forms outside of tasks. */
const BLOCKING: readonly (readonly [file: string, tests?: string])[] = [
  ['', '\\binvokeSync\\b'],
  ['conformance/checkpoints.test.ts', 'algorithms on the caller pass theirs'],
  ['conformance/cold-workers.test.ts', '^the Sync form, with|takes part in a Sync form'],
  ['conformance/free-in-flight.test.ts', 'on the caller$'],
  ['conformance/grouping.test.ts', 'from the caller that works too'],
  ['conformance/inline-functions.test.ts', ': Sync (form|reduction|sort)$|: an element, Sync$'],
  ['conformance/loops.test.ts', 'an array that is freed while a call works on it'],
  ['conformance/shared-buffers.test.ts', '> a Sync form takes them|of a Sync form$'],
  ['conformance/worker-lives.test.ts', '^on the thread that calls'],
  ['users/sync.mjs'],
];

/** Tests of what only a real end of the thread can do. */
const DENO_RUNS_ON: readonly (readonly [file: string, tests: string])[] = [
  ['faults/asynchronous.test.ts', 'synchronous code of a coroutine that does not end'],
  ['faults/grace.test.ts', 'nothing of it is left in the shared heap'],
  ['faults/lifecycle.test.ts', 'even what asks nobody'],
];

export const IMPOSSIBLE: readonly Impossible[] = [
  ...DENO_RUNS_ON.map(([file, tests]) => ({
    hosts: ['deno'],
    file,
    tests,
    reason:
      'Deno cannot end a thread that computes: code that asks nobody runs on, and the shared arrays keep their bytes',
  })),
  {
    hosts: ['bun'],
    file: 'faults/crash.test.ts',
    tests: '\\(memory\\)',
    reason: 'Bun has no memory limits for workers',
  },
  {
    hosts: ['bun'],
    file: 'faults/starting.test.ts',
    tests: 'has the memory limits',
    reason: 'Bun has no memory limits for workers',
  },
  {
    hosts: ['bun'],
    file: 'faults/starting.test.ts',
    tests: 'a flag that Node does not take',
    reason: 'Bun takes no execArgv for workers',
  },
  ...BLOCKING.map(([file, tests]) => ({
    hosts: PAGES,
    file,
    ...(tests === undefined ? {} : { tests }),
    reason: 'a page must not block',
  })),
  {
    hosts: BROWSERS,
    file: 'conformance/bad-input.test.ts',
    tests: 'FURCATE_PARALLELISM',
    reason: 'a browser has no environment variables',
  },
  {
    hosts: BROWSERS,
    file: 'conformance/values-errors.test.ts',
    tests: '\\ba proxy gets an error',
    reason: 'a browser cannot tell a proxy from what is behind it',
  },
  {
    hosts: BROWSERS,
    file: 'conformance/reporting.test.ts',
    tests: 'a proxy that is reported',
    reason: 'a browser cannot tell a proxy from what is behind it',
  },
  {
    hosts: BROWSERS,
    file: 'conformance/carried-values.test.ts',
    tests:
      'without their scope$|asynchronous tasks read it by their scope|: functions read what the call carries|sequential executor > calls that carry nothing',
    reason: 'a browser has no AsyncLocalStorage: what runs after an await is told by its scope alone',
  },
  {
    hosts: BROWSERS,
    file: 'conformance/pipeline-values.test.ts',
    tests: 'does not detach a buffer that an item shares',
    reason: 'a browser has no Buffer, whose small ones share memory',
  },
  {
    hosts: ['bun', 'deno'],
    file: 'conformance/pipeline-dropped.test.ts',
    reason: 'the programs are started with flags of Node, which collect garbage',
  },
  {
    hosts: ['deno'],
    file: 'conformance/platform-objects.test.ts',
    tests: 'tasks and plain values have them|what is closed after the call',
    reason: 'the clone of an ImageBitmap is an empty object in Deno',
  },
  {
    hosts: ['deno'],
    file: 'conformance/transferring.test.ts',
    tests: 'a canvas is painted',
    reason: 'Deno does not transfer its OffscreenCanvas',
  },
  {
    hosts: BROWSERS,
    file: 'conformance/reactive-values.test.ts',
    tests: 'crosses as the Map|does not tell what it stands for',
    reason: 'a browser cannot tell a proxy from what is behind it',
  },
  {
    hosts: BROWSERS,
    file: 'conformance/task-graph-misuse.test.ts',
    tests: '^many choices in each other',
    reason: "the stack of a browser's worker is smaller: Chromium nests 814 choices, then fails with the cure",
  },
  { hosts: BROWSERS, file: 'conformance/trace-files.test.ts', reason: 'a browser has no files' },
  {
    hosts: ['bun', 'deno', ...BROWSERS],
    file: 'conformance/tracing-flows.test.ts',
    tests: '^each part that an asynchronous task runs after an await, .*> that of ',
    reason: 'only Node tells when code goes on after an await',
  },
  {
    hosts: BROWSERS,
    file: 'conformance/profiling-flows.test.ts',
    tests: 'what a call of a pipeline does after an await is a part of it$',
    reason: 'a browser has no AsyncLocalStorage: what runs after an await is told by its scope alone',
  },
  {
    hosts: ['bun', 'deno', ...BROWSERS],
    file: 'conformance/stalls.test.ts',
    tests: '^stack\\(\\) says where',
    reason: 'only the inspector of Node tells where another thread is',
  },
  {
    hosts: ['bun', 'deno', ...BROWSERS],
    file: 'conformance/tracing.test.ts',
    tests: 'has the garbage that a thread collects',
    reason: 'only Node tells of the garbage that it collects',
  },
  {
    hosts: BROWSERS,
    file: 'conformance/by-index.test.ts',
    tests: ': parts of a file are read by',
    reason: 'a browser has no files',
  },
  { hosts: ['deno'], file: 'conformance/trace-files.test.ts', reason: 'the tests have no permission to write files' },
  { hosts: BROWSERS, file: 'users/console.mjs', reason: 'a page does not see what its workers print' },
];

/** Hosts without the modules of Node. */
export const isBrowser = (host: string): boolean => host.endsWith('-page') || host.endsWith('-worker');

const concerns = (host: string, file: string, { hosts, file: end }: Impossible): boolean =>
  hosts.some((name) => host.startsWith(name)) && file.endsWith(end);

/** What of this file is impossible on this host. */
export const impossibleOn = (host: string, file: string): Impossible[] =>
  IMPOSSIBLE.filter((each) => concerns(host, file, each));

/** Entries that keep nothing from a host that has run everything: a test has got another name, or is gone. */
export function staleEntries(rows: readonly { readonly host: string; readonly outcome: FileOutcome }[]): string[] {
  const matches = (entry: Impossible, host: string): boolean =>
    rows.some(
      (row) =>
        row.host === host &&
        concerns(host, row.outcome.file, entry) &&
        row.outcome.tests.some(
          ([name, { state }]) => state === 'not possible' && new RegExp(entry.tests ?? '').test(name),
        ),
    );
  const hosts = [...new Set(rows.map(({ host }) => host))];
  return IMPOSSIBLE.flatMap((entry) =>
    hosts
      .filter((host) => entry.hosts.some((name) => host.startsWith(name)) && !matches(entry, host))
      .map(
        (host) =>
          `STALE   capabilities.ts: on ${host}, nothing in '${entry.file}' matches /${entry.tests ?? ''}/ (${entry.reason})`,
      ),
  );
}

/**
 * Why the host cannot load this file at all, if so.
 * @param imports packages and modules of the runtime that the file imports, directly or not
 * @param packages those that the harness has for hosts that find none by themselves
 */
export function unloadable(
  host: string,
  imports: ReadonlySet<string>,
  packages: Readonly<Record<string, string>>,
): string | undefined {
  if (!isBrowser(host)) return undefined;
  const lacking = [...imports].filter((name) => name.startsWith('node:') && packages[name] === undefined).sort();
  return lacking.length === 0 ? undefined : `the test file imports ${lacking.join(', ')}`;
}
