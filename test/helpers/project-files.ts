/** The files of this project as the tests of its form see them: what git tracks or would track, not what tools made. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A file of the project. `path` is relative to the root, with slashes. */
export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

/** What tools make, for a copy of the project that is no git checkout. */
const MADE_BY_TOOLS = new Set(['.git', 'node_modules', 'dist', '.build', 'coverage']);

function walk(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => !MADE_BY_TOOLS.has(entry.name))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      return entry.isDirectory() ? walk(path) : [path];
    });
}

function paths(): string[] {
  try {
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return listed.toString().split('\0');
  } catch {
    return walk('');
  }
}

/** Reads every text file of the project. */
export function projectFiles(): ProjectFile[] {
  return paths()
    .filter((path) => path !== '' && existsSync(join(ROOT, path)))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
    .filter(({ text }) => !text.includes('\0'));
}
