import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runNode } from '../helpers/child-process.js';
import { ROOT } from '../helpers/project-files.js';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'furcate-tsx-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A worker that imports a preload module and then a TypeScript file that needs a real loader: it has an enum. */
const workerThatImports = (preload: string, module: string): string => `
  import { Worker } from 'node:worker_threads';
  const code = \`(async () => {
    ${preload}
    const { Grain } = await import(\${JSON.stringify(${JSON.stringify(module)})});
    console.log(Grain.Fine);
  })()\`;
  new Worker(code, { eval: true });
`;

test('furcate/tsx lets a worker thread import TypeScript', async () => {
  const module = join(folder, 'grain.mts');
  writeFileSync(module, 'export enum Grain { Fine = 41, Coarse }');
  const program = workerThatImports("await import('furcate/tsx');", module);
  expect(await runNode('--input-type=module', '-e', program)).toEqual({ code: 0, stdout: '41\n', stderr: '' });

  const without = await runNode('--input-type=module', '-e', workerThatImports('', module));
  expect(without.code).not.toBe(0);
});

test('furcate/tsx resolves for require too', async () => {
  const { stdout } = await runNode('-p', "require.resolve('furcate/tsx')");
  expect(stdout.trim()).toBe(join(ROOT, 'dist/tsx.js'));
});

test('furcate/tsx without tsx says what to install', async () => {
  const lonely = join(folder, 'tsx-preload.mjs');
  const copy = `import { copyFileSync } from 'node:fs';
    copyFileSync(${JSON.stringify(join(ROOT, 'dist/tsx.js'))}, ${JSON.stringify(lonely)});
    await import(${JSON.stringify(lonely)});`;
  const { code, stderr } = await runNode('--input-type=module', '-e', copy);
  expect(code).not.toBe(0);
  expect(stderr).toContain("the package 'tsx' is not installed");
  expect(stderr).toContain('npm install --save-dev tsx');
});
