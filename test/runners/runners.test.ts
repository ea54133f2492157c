/**
 * The test runners that people use, on a small project whose cases are a part of the conformance tests. Jest, and two of vitest's pools,
 * run a test file in a realm of its own: its `Object` and `Error` are others than those of Node's own functions.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runNode } from '../helpers/child-process.js';
import { examplesOf } from '../helpers/examples.js';
import { ROOT } from '../helpers/project-files.js';

const PROJECT = 'test/runners/project';
const JEST = ['node_modules/jest/bin/jest.js', '--rootDir', PROJECT, '--runInBand', '--no-cache', '--watchman=false'];
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--root', PROJECT, '--reporter', 'json'];
const ESM = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  'Jest, CommonJS': [...JEST, '--json', '--config', `${PROJECT}/jest.script.config.json`],
  'Jest, ES modules': [...ESM, ...JEST, '--json', '--config', `${PROJECT}/jest.module.config.json`],
  'vitest, forks': [...VITEST, '--pool', 'forks'],
  'vitest, threads': [...VITEST, '--pool', 'threads'],
  'vitest, vmForks': [...VITEST, '--pool', 'vmForks'],
  'vitest, vmThreads': [...VITEST, '--pool', 'vmThreads'],
};

interface Report {
  readonly numTotalTests: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly failureMessages: readonly string[] }[];
  }[];
}

describe('a project of tests passes, and its process ends by itself without a warning', () => {
  test.each(Object.entries(RUNNERS))('%s', async (_name, args) => {
    const { code, stdout, stderr } = await runNode(...args);
    const report = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Report;
    const results = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    const failures = results.filter(({ failureMessages }) => failureMessages.length > 0);
    expect({ failures, messages: report.testResults.map(({ message }) => message), code }).toMatchObject({
      failures: [],
      code: 0,
    });
    expect(report.numTotalTests).toBeGreaterThan(10);
    expect(stderr).not.toMatch(/warning|did not exit|open handle/i);
  });
});

test('the README shows the setup file of these runs', () => {
  const page = { path: 'README.md', text: readFileSync(join(ROOT, 'README.md'), 'utf8') };
  const shown = examplesOf(page).find(({ file }) => file === 'furcate-setup.mjs');
  expect(shown?.text).toBe(readFileSync(join(ROOT, PROJECT, 'furcate-setup.mjs'), 'utf8'));
});
