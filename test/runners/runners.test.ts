/**
 * The test runners that people use, on a small project whose cases are a part of the conformance tests. Jest, and two of vitest's pools,
 * run a test file in a realm of its own: its `Object` and `Error` are others than those of Node's own functions. Coverage by istanbul adds
 * counters to the functions that travel to workers. In vitest's browser mode, a test file is a module of a page.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runNode } from '../helpers/child-process.js';
import { examplesOf } from '../helpers/examples.js';
import { ROOT } from '../helpers/project-files.js';
import { commandOf } from '../runtimes/browsers.js';

const PROJECT = 'test/runners/project';
const COVERAGE = join(ROOT, '.build/runners-coverage');
const JEST = ['node_modules/jest/bin/jest.js', '--rootDir', PROJECT, '--runInBand', '--no-cache', '--watchman=false'];
const SCRIPT = [...JEST, '--json', '--config', `${PROJECT}/jest.script.config.json`];
const ESM = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const MODULE = [...ESM, ...JEST, '--json', '--config', `${PROJECT}/jest.module.config.json`];
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--root', PROJECT, '--reporter', 'json'];
const NODE = [
  '--import',
  'tsx',
  '--import',
  `./${PROJECT}/furcate-setup.mjs`,
  '--test',
  `--test-reporter=./${PROJECT}/node-reporter.mjs`,
];

const coverageOfJest = (provider: string): string[] => [
  '--coverage',
  `--coverageProvider=${provider}`,
  '--coverageReporters=json-summary',
  `--coverageDirectory=${COVERAGE}`,
];
const coverageOfVitest = (provider: string): string[] => [
  '--coverage.enabled',
  `--coverage.provider=${provider}`,
  '--coverage.include=*.ts',
  '--coverage.reporter=json-summary',
  `--coverage.reportsDirectory=${COVERAGE}`,
];

const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  'Jest, CommonJS': SCRIPT,
  'Jest, CommonJS, coverage by Babel': [...SCRIPT, ...coverageOfJest('babel')],
  'Jest, ES modules': MODULE,
  'Jest, ES modules, coverage by V8': [...MODULE, ...coverageOfJest('v8')],
  'vitest, forks': [...VITEST, '--pool', 'forks'],
  'vitest, forks, coverage by istanbul': [...VITEST, '--pool', 'forks', ...coverageOfVitest('istanbul')],
  'vitest, threads, coverage by V8': [...VITEST, '--pool', 'threads', ...coverageOfVitest('v8')],
  'vitest, vmForks': [...VITEST, '--pool', 'vmForks'],
  'vitest, vmThreads, coverage by istanbul': [...VITEST, '--pool', 'vmThreads', ...coverageOfVitest('istanbul')],
  'node:test, coverage': [...NODE, '--experimental-test-coverage', `${PROJECT}/node.spec.mjs`],
};

type Summary = Readonly<Record<string, { readonly lines: { readonly covered: number } }>>;

interface Report {
  readonly numTotalTests: number;
  /** node:test alone reports it there. */
  readonly coveredLines?: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly failureMessages: readonly string[] }[];
  }[];
}

/** Runs a project of tests, none of which may fail, and whose process must end by itself. */
async function passes(args: readonly string[]): Promise<Report> {
  const { code, stdout, stderr } = await runNode(...args);
  const report = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Report;
  const results = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const failures = results.filter(({ failureMessages }) => failureMessages.length > 0);
  expect({ failures, messages: report.testResults.map(({ message }) => message), code }).toMatchObject({
    failures: [],
    code: 0,
  });
  expect(stderr).not.toMatch(/warning|did not exit|open handle/i);
  return report;
}

/** How many lines of the cases ran on the thread of the test, says istanbul's summary. */
function coveredLines(): number {
  const summary = JSON.parse(readFileSync(join(COVERAGE, 'coverage-summary.json'), 'utf8')) as Summary;
  return Object.entries(summary).find(([path]) => path.endsWith('cases.ts'))?.[1].lines.covered ?? 0;
}

describe('a project of tests passes, and its process ends by itself without a warning', () => {
  test.each(Object.entries(RUNNERS))('%s', async (name, args) => {
    rmSync(COVERAGE, { recursive: true, force: true });
    const report = await passes(args);
    expect(report.numTotalTests).toBeGreaterThan(15);
    if (name.includes('coverage')) expect(report.coveredLines ?? coveredLines()).toBeGreaterThan(100);
  });
});

test("in vitest's browser mode, tasks of modules and inline functions run in workers of the test's page", async () => {
  process.env['CHROMIUM'] = commandOf('chromium')[0];
  const report = await passes([...VITEST, '--config', 'vitest.browser.config.mjs']);
  expect(report.numTotalTests).toBe(3);
});

test('the README shows the setup file of these runs', () => {
  const page = { path: 'README.md', text: readFileSync(join(ROOT, 'README.md'), 'utf8') };
  const shown = examplesOf(page).find(({ file }) => file === 'furcate-setup.mjs');
  expect(shown?.text).toBe(readFileSync(join(ROOT, PROJECT, 'furcate-setup.mjs'), 'utf8'));
});
