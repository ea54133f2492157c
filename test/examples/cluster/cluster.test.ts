import { expect, test } from 'vitest';
import { countPrimes, rangesUpTo } from '../../../examples/cluster/tasks.js';
import { runNode } from '../../helpers/child-process.js';

const runMain = (...args: string[]) => runNode('--import', 'tsx', 'examples/cluster/main.ts', ...args);

test('ranges cover all numbers, each once', () => {
  expect(rangesUpTo(100, 7).reduce((sum, range) => sum + countPrimes(range), 0)).toBe(25);
});

test('the count is right although a host is killed in the middle', async () => {
  const { code, stdout } = await runMain('--limit', '300000');
  expect(stdout).toContain('20 of 60 ranges are done. Host B is killed.');
  expect(stdout).toContain('25997 primes in');
  expect(stdout).toContain('nothing was lost, and nothing counted twice');
  expect(code).toBe(0);
});

test('the program explains its usage for a bad limit', async () => {
  const { code, stderr } = await runMain('--limit', 'many');
  expect(stderr).toContain('Usage: npm run example:cluster');
  expect(code).toBe(2);
});
