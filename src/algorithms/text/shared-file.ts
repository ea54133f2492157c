/** `sharedFile`: the bytes of a file in shared memory; runs on the calling thread. */

import { free, shrunk, unfilledArray } from '../../core/engine.js';
import { refuseRevoked } from '../../core/errors.js';
import { type FilePath, opened } from './file-by-path.js';

/** A `File` or a `Blob`, declared without types of the DOM or Node. */
export interface FileLike {
  readonly size: number;
  stream(): {
    getReader(): {
      read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
      cancel(): Promise<void>;
    };
  };
}

type SharedFileSource = Omit<Awaited<ReturnType<typeof opened>>, 'path'>;

const PATH = {
  name: 'sharedFile',
  needs: 'a path, a file: URL, a File or a Blob',
  cure: 'Pass a File or a Blob: await (await fetch(url)).blob().',
};
/** Place for what has no size that is known beforehand, a pipe or a device (bytes). It grows. */
const FIRST_BYTES = 65_536;

const isFileLike = (value: unknown): value is FileLike =>
  typeof (value as FileLike | null)?.stream === 'function' && typeof (value as FileLike).size === 'number';

function piecesOf(file: FileLike): SharedFileSource {
  const reader = file.stream().getReader();
  return {
    size: file.size,
    read: async () => (await reader.read()).value,
    close: () => reader.cancel(),
  };
}

/**
 * Reads a file into shared memory, where all threads see its bytes without a copy: for `lineChunks`, `decodeText` and algorithms over arrays of bytes.
 *
 * @param file a path or a `file:` URL, in Node, Bun and Deno; or a `File` or a `Blob`
 * @returns a promise of a shared array of its bytes, which belongs to the caller: `free` gives its memory back at once
 * @throws (rejects with) TypeError for another argument; what the platform says of a file that it cannot read; RangeError when the shared heap, of 4 GiB
 *   at most, is full
 * @remarks Cost: reading, and a copy of each piece of 256 KiB. Memory: the file, once.
 * @example
 * const bytes = await sharedFile(new Blob(['to be\nor not\n']));
 * lineChunks(bytes, { chunkBytes: 6 }).length; // => 2
 */
export async function sharedFile(file: FilePath | FileLike): Promise<Uint8Array> {
  refuseRevoked(file, 'sharedFile: file');
  const pieces = isFileLike(file) ? piecesOf(file) : await opened(file, PATH);
  let bytes = unfilledArray(Uint8Array, pieces.size || FIRST_BYTES);
  try {
    let length = 0;
    for (let piece = await pieces.read(); piece !== undefined; piece = await pieces.read()) {
      if (length + piece.length > bytes.length) {
        const larger = unfilledArray(Uint8Array, 2 * (length + piece.length));
        larger.set(bytes.subarray(0, length));
        free(bytes);
        bytes = larger;
      }
      bytes.set(piece, length);
      length += piece.length;
    }
    return length === bytes.length ? bytes : shrunk(bytes, length);
  } catch (error) {
    free(bytes);
    throw error;
  } finally {
    await pieces.close();
  }
}
