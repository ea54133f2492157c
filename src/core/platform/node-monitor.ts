/**
 * The folder in which processes tell `furcate top` of their pools: a file for each thread that owns pools, written anew a few times in a second. A file needs no
 * connection, tells of several processes at once, and can be read whatever the owner does. The folder is this user's alone, in the folder for
 * temporary files; on every thread, and in the command.
 */
import type { MonitorFile } from './host.js';

/** @throws Error where the folder belongs to somebody else, or others can read it */
export function monitorFolder(): string {
  const { join } = process.getBuiltinModule('node:path');
  const fs = process.getBuiltinModule('node:fs');
  const user = process.getuid?.();
  const folder = join(process.getBuiltinModule('node:os').tmpdir(), `furcate-${user ?? 'monitor'}`);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = fs.lstatSync(folder);
  const isOthers = user !== undefined && (stat.uid !== user || (stat.mode & 0o077) !== 0);
  if (!stat.isDirectory() || isOthers)
    throw new Error(
      `furcate: ${folder} must be a folder that only this user can read. Remove it, or set TMPDIR to another folder.`,
    );
  return folder;
}

/** The name of the file that this process runs. */
export const programName = (): string =>
  process.getBuiltinModule('node:path').basename(process.argv[1] ?? process.execPath);

export function monitorFile(): MonitorFile {
  const fs = process.getBuiltinModule('node:fs');
  const { threadId } = process.getBuiltinModule('node:worker_threads');
  const { join } = process.getBuiltinModule('node:path');
  const path = join(monitorFolder(), `${process.pid}-${threadId}.json`);
  process.on('exit', () => fs.rmSync(path, { force: true }));
  return {
    process: { pid: process.pid, thread: threadId, program: programName() },
    replace(text) {
      fs.writeFileSync(`${path}.new`, text, { mode: 0o600 });
      fs.renameSync(`${path}.new`, path);
    },
  };
}
