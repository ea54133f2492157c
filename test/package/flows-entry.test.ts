/** `furcate/flows` beside `furcate`: one library in a realm, for ES modules, for CommonJS, and in bundles. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../helpers/project-files.js';

const BODY = `(async () => {
  const realms = Object.getOwnPropertySymbols(globalThis).filter((key) => Symbol.keyFor(key)?.startsWith('furcate@'));
  const pool = new ForkJoinPool({ parallelism: 1 });
  const seen = [];
  for await (const x of pipeline([1, 2], { pool })) seen.push(x);
  await pool.close();
  console.log(JSON.stringify({ realms: realms.length, seen }));
})();`;
const MODULE = `import { pipeline } from 'furcate/flows';\nimport { ForkJoinPool } from 'furcate';\n${BODY}`;
const SCRIPT = `const { pipeline } = require('furcate/flows');\nconst { ForkJoinPool } = require('furcate');\n${BODY}`;
const MIXED = `import { pipeline } from 'furcate/flows';\nimport { createRequire } from 'node:module';
const { ForkJoinPool } = createRequire(import.meta.url)('furcate');\n${BODY}`;

/** What a program prints, run in a folder inside the package, where `furcate` means the package itself. */
async function printed(name: string, text: string): Promise<unknown> {
  const folder = mkdtempSync(join(ROOT, '.build/flows-entry-'));
  try {
    writeFileSync(join(folder, name), text);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, name)], { cwd: folder });
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const bundle = async (format: 'esm' | 'cjs', contents: string, { minify = true } = {}): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    minify,
    format,
    platform: 'node',
    conditions: ['module'],
    write: false,
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
};

describe('furcate/flows shares its library with furcate', () => {
  test.each([
    ['in ES modules', 'program.mjs', async () => MODULE],
    ['in CommonJS', 'program.cjs', async () => SCRIPT],
    ['in a mixture of both', 'program.mjs', async () => MIXED],
    ['in a bundle of ES modules', 'program.mjs', () => bundle('esm', MODULE)],
    ['in a bundle of CommonJS', 'program.cjs', () => bundle('cjs', SCRIPT)],
  ])('%s', async (_, name, text) => {
    expect(await printed(name, await text())).toEqual({ realms: 1, seen: [1, 2] });
  });
});

test('a program that does not import furcate/flows has nothing of it in its bundle', async () => {
  const hasPipelines = async (text: string): Promise<boolean> =>
    (await bundle('esm', text, { minify: false })).includes('function furcatePipeline');
  expect(await hasPipelines("import * as furcate from 'furcate'; console.log(furcate);")).toBe(false);
  expect(await hasPipelines(MODULE)).toBe(true);
});
