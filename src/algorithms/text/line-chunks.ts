/** `lineChunks`: bytes of text, cut at ends of lines; runs on the calling thread. */
import { refuseRevoked } from '../../core/errors.js';
import { check, checkCount, readPlainOptions } from '../call/options.js';

/** Options of `lineChunks`. */
export interface LineChunksOptions {
  /** Bytes in a chunk, an integer from 1 up; a line that is longer makes a longer chunk. Default 65,536: some hundreds of lines. */
  chunkBytes?: number | undefined;
}

const CHUNK_BYTES = 65_536;
const LINE_FEED = 10;
const NAME = 'lineChunks';

/**
 * Cuts the bytes of a text into chunks of whole lines. Chunks of shared bytes are shared, so they cross to workers without a copy: give them to
 * `parallelMap`, `parallelReduce` or a pipeline, whose function calls `decodeText` or works on the bytes.
 *
 * @param bytes a `Uint8Array` of text in which lines end with a line feed, as in UTF-8; such as what `sharedFile` gives
 * @param options `chunkBytes`
 * @returns the chunks in their order, which together are all bytes. Each but the last ends with a line feed, and has no more than `chunkBytes` unless it
 *   is one line
 * @throws TypeError, RangeError for other arguments
 * @remarks Cost: a look at the end of each chunk. Its memory is that of the views, some 200 bytes for each chunk.
 * @example
 * const text = sharedArray(Uint8Array, new TextEncoder().encode('to be\nor not\nto be\n'));
 * lineChunks(text, { chunkBytes: 8 }).length; // => 3
 */
export function lineChunks(bytes: Uint8Array, options: LineChunksOptions = {}): Uint8Array[] {
  refuseRevoked(bytes, `${NAME}: bytes`);
  const isBytes = ArrayBuffer.isView(bytes) && bytes[Symbol.toStringTag] === 'Uint8Array';
  check(isBytes, NAME, 'bytes', 'a Uint8Array, such as sharedFile() gives', bytes);
  const { chunkBytes = CHUNK_BYTES } = readPlainOptions(NAME, options, ['chunkBytes']);
  const most = checkCount(NAME, 'options.chunkBytes', chunkBytes, 1);
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; ) {
    let end = bytes.length;
    if (end - start > most) {
      const last = bytes.subarray(start, start + most).lastIndexOf(LINE_FEED);
      end = last >= 0 ? start + last + 1 : bytes.indexOf(LINE_FEED, start + most) + 1 || bytes.length;
    }
    chunks.push(bytes.subarray(start, end));
    start = end;
  }
  return chunks;
}
