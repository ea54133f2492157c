import { expect, test } from 'vitest';
import { linksOf, wordsOf } from '../../../examples/crawl/site.js';
import { runNode } from '../../helpers/child-process.js';

const runMain = (...args: string[]) => runNode('--import', 'tsx', 'examples/crawl/main.ts', ...args);

test('every page of the site can be reached from the first one, and is the same each time', () => {
  const pages = 300;
  const reached = new Set([0]);
  for (const page of reached) for (const other of linksOf(page, pages)) reached.add(other);
  expect(reached.size).toBe(pages);
  expect(wordsOf(7)).toEqual(wordsOf(7));
});

test('the crawler indexes every page once, and says that its index is right', { timeout: 60_000 }, async () => {
  const { code, stdout } = await runMain('--pages', '60');
  expect(stdout).toContain('60 pages in');
  expect(stdout).toContain('The index is that of the pages.');
  expect(code).toBe(0);
});

test('the program explains its usage for a bad number of pages', async () => {
  const { code, stderr } = await runMain('--pages', 'many');
  expect(stderr).toContain('Usage: npm run example:crawl');
  expect(code).toBe(2);
});
