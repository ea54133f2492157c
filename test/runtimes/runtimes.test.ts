/** The harness goes red when a host does: whatever a test does there is told, with its name, its error and the command that repeats it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { staleEntries, unloadable } from './capabilities.js';
import { type Host, runOn } from './host-run.js';
import { HOST_NAMES, makeHost } from './hosts.js';
import { RUNNING_NODE } from './install.js';
import { ROOT } from './module-files.js';
import type { FileOutcome } from './outcome.js';
import { planOf } from './plan.js';
import { makeProject, type Project } from './project.js';
import { failures, hasFailed, reasons, table } from './report.js';

const OUTCOMES = 'test/runtimes/broken/outcomes.tests.ts';
const LOADS_NOT = 'test/runtimes/broken/loads-not.tests.ts';

let project: Project;
let host: Host;

beforeAll(async () => {
  project = await makeProject([OUTCOMES, LOADS_NOT]);
  host = makeHost(RUNNING_NODE, project);
}, LONG_TEST_HANG_MS);
afterAll(() => project.remove());

const run = (file: string, expected?: string): Promise<FileOutcome> =>
  runOn(host, {
    file,
    timeoutMs: 1_000,
    variables: {},
    checkout: pathToFileURL(ROOT).href,
    unloadable: undefined,
    impossible: [{ hosts: [RUNNING_NODE], file: OUTCOMES, tests: 'impossible by its name', reason: 'it lacks wings' }],
    ...(expected === undefined ? {} : { expected }),
  });

const rowOf = (outcome: FileOutcome) => ({ host: RUNNING_NODE, suite: 'unit' as const, outcome });

test(
  'tests that fail, hang or end their host are failures, and the tests behind them run',
  async () => {
    const outcome = await run(OUTCOMES);
    const failed = (...errors: RegExp[]): object => ({
      state: 'failed',
      errors: errors.map((each) => expect.stringMatching(each)),
    });
    expect(outcome.tests).toEqual([
      ['passes', { state: 'passed' }],
      ['fails', failed(/expected \[ 1, 2 \] to deeply equal \[ 1, 3 \]/)],
      ['rejects', failed(/RangeError: too far[\s\S]*caused by Error: too fast/)],
      ['a group > fails for 1 of two', { state: 'passed' }],
      ['a group > fails for 2 of two', failed(/expected 2 to be 1/)],
      ['takes too long', failed(/timed out in 1000ms/)],
      ['ends its process', failed(/exit code 7/)],
      ['never returns', failed(/it hangs: no sign for 11 s/)],
      ['runs after all of that', { state: 'passed' }],
      ['is impossible by its name', { state: 'not possible', reason: 'it lacks wings' }],
    ]);
    expect(outcome.strays).toEqual([expect.stringContaining('a hook that fails')]);

    const row = rowOf(outcome);
    expect(hasFailed(row)).toBe(true);
    expect(failures(row)).toContain(
      `repeat: npm run test:runtimes -- --only ${RUNNING_NODE} --file ${OUTCOMES} --test '^a group > fails for 2 of two$'`.slice(
        0,
        -60,
      ),
    );
    expect(table([row])).toMatch(new RegExp(`${RUNNING_NODE} +3/7/1 \\d+ s`));
    expect(reasons([row])).toBe(`not possible: it lacks wings (${RUNNING_NODE} 1)`);
  },
  LONG_TEST_HANG_MS,
);

test('a file that does not load is a failure', async () => {
  const outcome = await run(LOADS_NOT);
  expect(outcome.strays).toEqual([expect.stringContaining('no tests today')]);
  expect(hasFailed(rowOf(outcome))).toBe(true);
});

describe('a program of a user', () => {
  test.each([
    ['passes if it prints what it says', "console.log('here');", 'passed'],
    ['fails if it prints something else', "console.log('there');", 'failed'],
    ['fails if it throws', "console.log('here'); throw new Error('no');", 'failed'],
    ['fails if it does not end', "console.log('here'); setInterval(() => {}, 1000);", 'failed'],
  ])(
    '%s',
    async (_, text, state) => {
      const file = 'program.mjs';
      writeFileSync(join(project.folder, file), text);
      expect((await run(file, 'here\n')).tests).toMatchObject([[expect.any(String), { state }]]);
    },
    LONG_TEST_HANG_MS,
  );
});

test('a run of no test at all is an error, and so are unknown hosts and suites', () => {
  expect(() => planOf({ file: 'nowhere' })).toThrow(/no test file/);
  expect(() => planOf({ only: 'netscape' })).toThrow(/--only takes some of node-\d+.*'netscape'/);
  expect(() => planOf({ suite: 'conformance,usres' })).toThrow(/--suite takes some of unit, .*'usres'/);
});

test('a name stands for all versions and realms that begin with it', () => {
  const hosts = (only: string): string[] => [
    ...new Set(planOf({ only, suite: 'users' }).steps.map((step) => step.host)),
  ];
  expect(hosts('chromium,bun')).toEqual(['chromium-page', 'chromium-worker', 'bun']);
  expect(hosts('node')).toEqual(HOST_NAMES.filter((name) => name.startsWith('node-')));
});

test('tests of workers that end themselves by means of Node run on no browser', () => {
  const hosts = new Set(
    planOf({ only: 'firefox,bun', suite: 'faults,users' }).steps.map((step) => `${step.host} ${step.suite}`),
  );
  expect([...hosts]).toEqual(['bun faults', 'firefox-page users', 'firefox-worker users', 'bun users']);
});

test('in CI, Node 20 and 24, Bun, Deno and both realms of Chromium run', () => {
  const hosts = new Set(planOf({ ci: true }).steps.map((step) => step.host));
  expect([...hosts]).toEqual(
    expect.arrayContaining(['node-20', 'node-24', 'bun', 'deno', 'chromium-page', 'chromium-worker']),
  );
});

test('what keeps no test from a host is reported', () => {
  const outcome = { file: 'test/conformance/joining.test.ts', tests: [], strays: [], seconds: 0 };
  expect(staleEntries([{ host: 'chromium-page', outcome }])).toContainEqual(
    expect.stringMatching(/on chromium-page, .*invokeSync/),
  );
});

test('a browser is kept from files that import modules of Node, and no other host is', () => {
  const imports = new Set(['node:vm', 'node:assert/strict', 'furcate']);
  const packages = { 'node:assert/strict': '/assert.js' };
  expect(unloadable('firefox-page', imports, packages)).toBe('the test file imports node:vm');
  expect(unloadable('deno', imports, packages)).toBeUndefined();
});
