/** Finds or installs the runtimes that run tests as processes. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './module-files.js';
import { CACHE } from './project.js';

interface Pinned {
  readonly package: string;
  readonly version: string;
  readonly program: string;
}

const PINNED = JSON.parse(readFileSync(join(ROOT, 'test/runtimes/versions.json'), 'utf8')) as Record<string, Pinned>;

/** The Node that runs this stands for its major version. */
export const RUNNING_NODE = `node-${process.versions.node.split('.')[0]}`;

export const PINNED_RUNTIMES: readonly string[] = Object.keys(PINNED);

/** The path of the runtime's program. It is installed once for each version. */
export function installed(name: string): string {
  if (name === RUNNING_NODE) return process.execPath;
  const pinned = PINNED[name];
  if (pinned === undefined) throw new Error(`test/runtimes/versions.json has no '${name}'`);
  const folder = join(CACHE, `${name}-${pinned.version}`);
  const program = join(folder, 'node_modules', pinned.package, pinned.program);
  if (existsSync(program)) return program;
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(
      `versions.json names packages for Linux on x64, and this is ${process.platform} on ${process.arch}`,
    );
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  // The packages contain the programs; their scripts only look for the one that fits a machine.
  const args = ['install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--force'];
  execFileSync('npm', [...args, `${pinned.package}@${pinned.version}`], { cwd: folder, stdio: 'inherit' });
  return program;
}
