/** Files by path, in Node and runtimes that have its modules; on every thread. */
import type { OpenedFile } from './host.js';

/** Bytes of a piece. Larger ones are no faster, and stay out of the processor's cache. */
const PIECE_BYTES = 262_144;

/**
 * Opens a file, whose pieces are read into one buffer. They are not read into shared memory at once: not every runtime takes a view of that, and memory that
 * is freed meanwhile must not be written to.
 */
export async function openFile(path: string | URL): Promise<OpenedFile> {
  const handle = await process.getBuiltinModule('node:fs').promises.open(path);
  const stats = await handle.stat();
  let buffer: Uint8Array | undefined;
  return {
    path: pathOf(path),
    size: stats.isFile() ? stats.size : 0,
    async read() {
      buffer ??= new Uint8Array(PIECE_BYTES);
      const { bytesRead } = await handle.read(buffer, 0, PIECE_BYTES);
      return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead);
    },
    close: () => handle.close(),
  };
}

/** The path from the root on. */
export const pathOf = (path: string | URL): string =>
  process
    .getBuiltinModule('node:path')
    .resolve(typeof path === 'string' ? path : process.getBuiltinModule('node:url').fileURLToPath(path));

const askForFiles = () => process.getBuiltinModule('node:fs');
/** Asked for once: to ask for a module takes a microsecond. */
let files: ReturnType<typeof askForFiles> | undefined;

function fileSystem(): ReturnType<typeof askForFiles> {
  files ??= askForFiles();
  return files;
}

/** The file that was read last. It stays open until the code that reads it has returned: opening takes longer than reading a few KB. */
let last: { readonly path: string; readonly file: number } | undefined;

function closeLast(): void {
  if (last !== undefined) fileSystem().closeSync(last.file);
  last = undefined;
}

function fileOf(path: string, mayBeOpen: boolean): number {
  if (mayBeOpen && last?.path === path) return last.file;
  closeLast();
  last = { path, file: fileSystem().openSync(path, 'r') };
  queueMicrotask(closeLast);
  return last.file;
}

/** Waits for the file, as a function does that computes: what the system has in memory is there in some microseconds. */
export function readFileAt(path: string, at: number, into: Uint8Array, goesOn: boolean): number {
  const { readSync } = fileSystem();
  const file = fileOf(path, goesOn);
  let length = 0;
  while (length < into.length) {
    const more = readSync(file, into, length, into.length - length, at + length);
    if (more === 0) break;
    length += more;
  }
  return length;
}
