/**
 * Checks the package as it would be published, with publint and attw ("are the types wrong?"). Needs no network.
 *
 * attw resolves each entry point as TypeScript does for ES modules, for CommonJS and for bundlers. Some are ES modules only, so attw checks
 * them separately: `furcate/tsx` has a top-level await, and only `preload` imports it; `furcate/doctor` is for tools, which may await it; so may
 * programs that connect to a cluster.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ESM_ONLY = ['tsx', 'worker/complete', 'doctor', 'cluster'];

/** Runs a program of node_modules, which npm puts on the path of its scripts. */
function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { cwd: ROOT, stdio: 'inherit' });
}

/** Makes the tarball. The script `prelint:package` has built the package. */
function pack(folder: string): string {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8' })) as [{ filename: string }];
  return join(folder, packed.filename);
}

const folder = mkdtempSync(join(tmpdir(), 'furcate-package-'));
try {
  const tarball = pack(folder);
  run('publint', 'run', tarball, '--strict');
  const attw = (...args: readonly string[]): void =>
    run('attw', tarball, '--no-definitely-typed', '--format', 'ascii', ...args);
  attw('--profile', 'node16', '--exclude-entrypoints', ...ESM_ONLY);
  attw('--profile', 'esm-only', '--entrypoints', ...ESM_ONLY);
} catch (error) {
  if ((error as { status?: unknown }).status === undefined) throw error;
  process.exitCode = 1; // the tool has printed why
} finally {
  rmSync(folder, { recursive: true });
}
