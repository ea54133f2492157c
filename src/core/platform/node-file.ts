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
  const buffer = new Uint8Array(PIECE_BYTES);
  return {
    size: (await handle.stat()).size,
    async read() {
      const { bytesRead } = await handle.read(buffer, 0, PIECE_BYTES);
      return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead);
    },
    close: () => handle.close(),
  };
}
