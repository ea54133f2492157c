/** Checks the size of the library against the budgets in scripts/sizes.ts. */
import { beforeAll, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { linesOfCode, sizes, table } from '../../scripts/sizes.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';

beforeAll(async () => {
  await ensureBuild(['scripts', 'declarations']);
}, LONG_TEST_HANG_MS);

test('bundles, package and source stay within their budgets', async () => {
  const measured = await sizes();
  for (const { what, value } of measured) expect(value, what).toBeGreaterThan(0);
  expect(
    measured.filter(({ value, budget }) => value > budget).map(({ what }) => what),
    `Reduce the size, or raise the budget in scripts/sizes.ts and say why.\n${table(measured)}\n`,
  ).toEqual([]);
});

test('the table marks a size that exceeds its budget', () => {
  const size = { what: 'everything', unit: 'KB', budget: 95 } as const;
  expect(table([{ ...size, value: 95 }])).toBe('everything: 95.0 KB, budget 95.0 KB');
  expect(table([{ ...size, value: 95.1 }])).toBe('everything: 95.1 KB, budget 95.0 KB, EXCEEDED');
});

test.each([
  ['a line with a comment after its code counts', 'const x = 1; // one', 1],
  ['blank lines and comments do not count', '\n// one\n\n/* two\nthree */\n', 0],
  [
    'documentation does not count, even inside a class',
    '/** A class. */\nclass A {\n  /**\n   * x\n   */\n  x = 1;\n}',
    3,
  ],
  ['each line of a template counts', 'const x = `\n// no comment\n`;', 3],
  ['what looks like a comment in a string counts', "const x = '/*';\nconst y = '*/';", 2],
  ['decorators of AssemblyScript count', '// @ts-ignore: decorator\n@inline\nfunction f(): i32 {\n  return 1;\n}', 4],
])('%s', (_name, text, lines) => {
  expect(linesOfCode(text)).toBe(lines);
});
