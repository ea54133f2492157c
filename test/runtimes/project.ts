/** Makes the project that hosts run: the packed package, installed as users install it, and the tests beside it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { kernelsLiteral } from '../../scripts/kernels.js';
import { type Externals, ROOT, writeModules } from './module-files.js';

/** All that the harness installs and makes; git ignores it. */
export const CACHE = join(ROOT, '.build/runtimes');

export interface Project {
  readonly folder: string;
  readonly externals: Externals;
}

/** Packs the current build, and installs the tarball without a network. */
export function installPackage(folder: string): void {
  const npm = (...args: readonly string[]): string =>
    execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const [packed] = JSON.parse(npm('pack', ROOT, '--ignore-scripts', '--json')) as [{ filename: string }];
  npm('install', `./${packed.filename}`, '--offline', '--ignore-scripts', '--no-audit', '--no-fund');
}

/** What runs on the hosts besides the tests: the harness's part, with vitest in it, and packages that tests import. */
async function bundleHarness(folder: string): Promise<void> {
  await build({
    entryPoints: {
      'process-main': join(ROOT, 'test/runtimes/in-host/process-main.ts'),
      'fast-check': 'fast-check',
    },
    outdir: join(folder, 'harness'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import', 'default'],
    external: ['node:*'],
    absWorkingDir: ROOT,
    logLevel: 'error',
  });
}

/** @param files the test files that will run */
export async function makeProject(files: readonly string[]): Promise<Project> {
  const folder = join(CACHE, 'project');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  installPackage(folder);
  cpSync(join(ROOT, 'test/fixtures'), join(folder, 'test/fixtures'), { recursive: true });
  const define = { __FURCATE_KERNELS__: await kernelsLiteral() };
  const [externals] = await Promise.all([writeModules(files, join(folder, 'modules'), define), bundleHarness(folder)]);
  return { folder, externals };
}
