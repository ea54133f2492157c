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
    path: process.getBuiltinModule('node:path').resolve(placeOf(path)),
    size: stats.isFile() ? stats.size : 0,
    async read() {
      buffer ??= new Uint8Array(PIECE_BYTES);
      const { bytesRead } = await handle.read(buffer, 0, PIECE_BYTES);
      return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead);
    },
    close: () => handle.close(),
  };
}

const placeOf = (path: string | URL): string =>
  typeof path === 'string' ? path : process.getBuiltinModule('node:url').fileURLToPath(path);

/** Waits for the file, as a function does that computes: a part of a file that the system has in memory is there in some 10 us. */
export function readFileAt(path: string, at: number, into: Uint8Array): number {
  const { closeSync, openSync, readSync } = process.getBuiltinModule('node:fs');
  const file = openSync(path, 'r');
  try {
    let length = 0;
    while (length < into.length) {
      const more = readSync(file, into, length, into.length - length, at + length);
      if (more === 0) break;
      length += more;
    }
    return length;
  } finally {
    closeSync(file);
  }
}
