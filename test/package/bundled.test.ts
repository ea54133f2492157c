/** Tests programs that a bundler puts into one file, together with the library and the code of its workers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runNode } from '../helpers/child-process.js';
import { ROOT } from '../helpers/project-files.js';

const USE = `
  async function main() {
    const pool = new ForkJoinPool({ parallelism: 1 });
    const threads = sharedArray(Int32Array, 200_000);
    const noteThread = (i, { threads }) => {
      threads[i] = process.getBuiltinModule('node:worker_threads').threadId;
    };
    await parallelFor(threads.length, noteThread, { pool, context: { threads } });
    console.log(threads.at(-1) > 0);
    await pool.close();
  }
  main();
`;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'furcate-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['import', "import { ForkJoinPool, parallelFor, sharedArray } from 'furcate';", 'esm', true],
  ['require', "const { ForkJoinPool, parallelFor, sharedArray } = require('furcate');", 'cjs', false],
] as const)('a program bundled into one file with %s runs its workers', async (_name, load, format, minify) => {
  const outfile = join(folder, format === 'esm' ? 'program.mjs' : 'program.cjs');
  const stdin = { contents: load + USE, resolveDir: ROOT };
  await build({ stdin, bundle: true, platform: 'node', format, minify, outfile, logLevel: 'error' });
  expect(await runNode(outfile)).toEqual({ code: 0, stdout: 'true\n', stderr: '' });
});
