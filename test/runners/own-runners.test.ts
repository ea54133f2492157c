/** The test runners that Bun and Deno bring along, on the project of runners.test.ts. */
import { execFile } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';
import { LONG_TEST_HANG_MS, STEP_HANG_MS } from '../helpers/limits.js';
import { ROOT } from '../helpers/project-files.js';
import { installed } from '../runtimes/install.js';

const PROJECT = 'test/runners/project';
const RIGHTS = ['--no-prompt', '--node-modules-dir=manual', '--allow-read', '--allow-env', '--allow-sys'];

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  bun: ['test', `./${PROJECT}/bun.spec.mjs`],
  deno: ['test', '--no-check', ...RIGHTS, `${PROJECT}/deno.spec.mjs`],
};

/** Cases that every runner has. */
const LEAST = 16;

beforeAll(() => {
  for (const name of Object.keys(COMMANDS)) installed(name); // may download them
}, LONG_TEST_HANG_MS);

test.each(Object.entries(COMMANDS))('the cases pass under %s test', async (name, args) => {
  const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' };
  const output = await new Promise<string>((done) =>
    execFile(installed(name), args, { cwd: ROOT, env, timeout: STEP_HANG_MS }, (error, stdout, stderr) =>
      done(`${stdout}\n${stderr}\n${error === null ? 'ended by itself' : error.message}`),
    ),
  );
  expect(output).toContain('ended by itself');
  expect(Number(/(\d+) pass/.exec(output)?.[1])).toBeGreaterThanOrEqual(LEAST);
  expect(output).toMatch(/\b0 fail/);
});
