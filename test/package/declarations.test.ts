import { beforeAll, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { runNode } from '../helpers/child-process.js';

/** Declarations take some seconds, and only this file needs them; after `npm run build` they are there. */
const BUILD_TIMEOUT_MS = 60_000;

beforeAll(async () => {
  await ensureBuild(['scripts', 'declarations']);
}, BUILD_TIMEOUT_MS);

test('the declarations resolve for an ES module and a CommonJS module, and need no types of Node', async () => {
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'test/package/fixtures', '--pretty', 'false'];
  expect(await runNode(...tsc)).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('the fixtures are compiled against the built declarations', async () => {
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'test/package/fixtures', '--listFilesOnly'];
  const { stdout } = await runNode(...tsc);
  expect(stdout).toContain('/dist/index.d.ts');
  expect(stdout).toContain('/dist/index.d.cts');
  expect(stdout).not.toContain('/src/index.ts');
});
