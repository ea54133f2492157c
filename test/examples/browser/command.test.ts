/** The program that serves the page. */
import { expect, test } from 'vitest';
import { runNode } from '../../helpers/child-process.js';

const runMain = (...args: string[]) => runNode('--import', 'tsx', 'examples/browser/main.ts', ...args);

test('explains itself, and what is wrong with an option', async () => {
  const [help, port, unknown] = await Promise.all([
    runMain('--help'),
    runMain('--port', 'eighty'),
    runMain('--no-isolations'),
  ]);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toContain('--no-isolation');
  expect(port.code).toBe(2);
  expect(port.stderr).toContain("--port needs a number from 0 to 65535, but got 'eighty'");
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('--no-isolations');
});
