/**
 * Asks publint and attw ("are the types wrong?") about the package as it would be published. Needs no network.
 *
 * attw resolves each entry point the way TypeScript does for ES modules, for CommonJS and for bundlers. `furcate/tsx` is an
 * ES module only, on purpose: it awaits at its top level, and `preload` imports it. So attw gets it apart from the others.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ESM_ONLY = 'tsx';

/** npm puts the programs of node_modules on the path of its scripts. */
function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { cwd: ROOT, stdio: 'inherit' });
}

/** Makes the tarball, without a build: that was `prelint:package`. */
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
  attw('--profile', 'node16', '--exclude-entrypoints', ESM_ONLY);
  attw('--profile', 'esm-only', '--entrypoints', ESM_ONLY);
} catch (error) {
  if ((error as { status?: unknown }).status === undefined) throw error;
  process.exitCode = 1; // the tool has said why
} finally {
  rmSync(folder, { recursive: true });
}
