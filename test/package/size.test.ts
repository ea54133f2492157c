/** The size of the library stays within its budgets, which are in scripts/sizes.ts. */
import { beforeAll, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { linesOfCode, sizes, table } from '../../scripts/sizes.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';

beforeAll(async () => {
  await ensureBuild(['scripts', 'declarations']);
}, LONG_TEST_HANG_MS);

test('bundles, package and source are within their budgets', async () => {
  const measured = await sizes();
  for (const { what, value } of measured) expect(value, what).toBeGreaterThan(0);
  expect(
    measured.filter(({ value, budget }) => value > budget).map(({ what }) => what),
    `Make it smaller, or raise a budget in scripts/sizes.ts and say why.\n${table(measured)}\n`,
  ).toEqual([]);
});

test('a figure beyond its budget is marked in the table', () => {
  const size = { what: 'everything', unit: 'KB', budget: 95 } as const;
  expect(table([{ ...size, value: 95 }])).toBe('everything: 95.0 KB, budget 95.0 KB');
  expect(table([{ ...size, value: 95.1 }])).toBe('everything: 95.1 KB, budget 95.0 KB, BEYOND IT');
});

test.each([
  ['a line with a comment behind its code counts', 'const x = 1; // one', 1],
  ['blank lines and comments do not count', '\n// one\n\n/* two\nthree */\n', 0],
  [
    'documentation does not count, wherever it stands',
    '/** A class. */\nclass A {\n  /**\n   * x\n   */\n  x = 1;\n}',
    3,
  ],
  ['each line of a template counts', 'const x = `\n// no comment\n`;', 3],
  ['what looks like a comment in a string counts', "const x = '/*';\nconst y = '*/';", 2],
  ['decorators of AssemblyScript count', '// @ts-ignore: decorator\n@inline\nfunction f(): i32 {\n  return 1;\n}', 4],
])('%s', (_name, text, lines) => {
  expect(linesOfCode(text)).toBe(lines);
});
