/**
 * The kernel of docs/shared-memory.md, compiled to WebAssembly: it runs on shared arrays in every worker. test/fixtures/median.wasm is what clang 14 makes of the page's
 * C by the page's command.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { examplesOf, runExamples } from '../helpers/examples.js';
import { ROOT } from '../helpers/project-files.js';

const path = 'docs/shared-memory.md';

beforeAll(() => ensureBuild(['scripts']));

test('the code of the page gives what a plain loop gives', async () => {
  const examples = examplesOf({ path, text: readFileSync(join(ROOT, path), 'utf8') }, 'wasm');
  expect(examples.map(({ file }) => file)).toEqual(['median.mjs']);
  expect(await runExamples(examples, ['median.wasm'])).toEqual([null]);
});
