/** `lineChunks`: bytes of text, cut at ends of lines; runs on the calling thread. */
import { refuseRevoked } from '../../core/errors.js';
import { chunksOf } from '../../flow/web-chunks.js';
import { check, checkCount, readPlainOptions } from '../call/options.js';

/** Options of `lineChunks`. */
export interface LineChunksOptions {
  /** Bytes in a chunk, an integer from 1 up; a line that is longer makes a longer chunk. Default 65,536: some hundreds of lines. */
  chunkBytes?: number | undefined;
}

/** A stream of bytes, of Node or of the Web, declared without types of either. */
export type ByteStream =
  | AsyncIterable<Uint8Array>
  | {
      getReader(): {
        read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
        cancel(): Promise<void>;
      };
    };

const CHUNK_BYTES = 65_536;
const LINE_FEED = 10;
const NAME = 'lineChunks';

const isBytes = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && (value as Uint8Array)[Symbol.toStringTag] === 'Uint8Array';

/**
 * Finds the end of the first chunk of these bytes; 0 if that depends on what comes after them.
 *
 * @param searched how many bytes are known to have no end of a line after the first `most`
 */
function endOfChunk(bytes: Uint8Array, most: number, searched = 0): number {
  if (bytes.length <= most) return 0;
  const end = bytes.subarray(0, most).lastIndexOf(LINE_FEED) + 1;
  return end > 0 ? end : bytes.indexOf(LINE_FEED, Math.max(most, searched)) + 1;
}

function cut(bytes: Uint8Array, most: number): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const end = endOfChunk(rest, most) || rest.length;
    chunks.push(rest.subarray(0, end));
    rest = rest.subarray(end);
  }
  return chunks;
}

const piecesOf = (stream: ByteStream): AsyncIterable<Uint8Array> =>
  'getReader' in stream ? { [Symbol.asyncIterator]: () => chunksOf(stream) } : stream;

/** Holds what no chunk has taken yet, which is less than a chunk and a piece unless a line is longer. */
async function* cutStream(stream: ByteStream, most: number): AsyncGenerator<Uint8Array, void, undefined> {
  let held = new Uint8Array(0);
  let length = 0;
  for await (const piece of piecesOf(stream)) {
    check(isBytes(piece), NAME, 'bytes', 'a stream of Uint8Arrays, as streams are that have no encoding', piece);
    const before = length;
    length += piece.length;
    if (length > held.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(held.subarray(0, before));
      held = larger;
    }
    held.set(piece, before);
    let start = 0;
    for (let end = endOfChunk(held.subarray(0, length), most, before); end > 0; ) {
      yield held.slice(start, start + end);
      start += end;
      end = endOfChunk(held.subarray(start, length), most);
    }
    held.copyWithin(0, start, length);
    length -= start;
  }
  if (length > 0) yield held.slice(0, length);
}

/**
 * Cuts the bytes of a text into chunks of whole lines. Give them to `parallelMap`, `parallelReduce` or a pipeline, whose function calls `decodeText` or works on
 * the bytes.
 *
 * @param bytes a `Uint8Array` of text in which lines end with a line feed, as in UTF-8, such as what `sharedFile` gives: chunks of shared bytes are shared, so
 *   they cross to workers without a copy. Or a stream of such bytes, of Node or of the Web, such as `createReadStream(path)` or `blob.stream()`: then it is read
 *   as chunks are asked for, and no more of it than these is in memory
 * @param options `chunkBytes`
 * @returns the chunks in their order, which together are all bytes: an array, or an asynchronous iterable of those of a stream. Each but the last ends with a
 *   line feed, and has no more than `chunkBytes` unless it is one line
 * @throws TypeError, RangeError for other arguments; for a stream that gives anything but bytes, and what the stream throws, when it is read
 * @remarks Cost: a look at the end of each chunk, and two copies of the bytes of a stream. Memory: that of the views, some 200 bytes for each chunk; of a stream
 *   three chunks, or pieces if they are larger.
 * @example
 * const text = sharedArray(Uint8Array, new TextEncoder().encode('to be\nor not\nto be\n'));
 * lineChunks(text, { chunkBytes: 8 }).length; // => 3
 */
export function lineChunks(bytes: Uint8Array, options?: LineChunksOptions): Uint8Array[];
export function lineChunks(bytes: ByteStream, options?: LineChunksOptions): AsyncGenerator<Uint8Array, void, undefined>;
export function lineChunks(
  bytes: Uint8Array | ByteStream,
  options: LineChunksOptions = {},
): Uint8Array[] | AsyncGenerator<Uint8Array, void, undefined> {
  refuseRevoked(bytes, `${NAME}: bytes`);
  const isStream = Symbol.asyncIterator in Object(bytes) || 'getReader' in Object(bytes);
  check(
    isBytes(bytes) || isStream,
    NAME,
    'bytes',
    'a Uint8Array, such as sharedFile() gives, or a stream of bytes',
    bytes,
  );
  const { chunkBytes = CHUNK_BYTES } = readPlainOptions(NAME, options, ['chunkBytes']);
  const most = checkCount(NAME, 'options.chunkBytes', chunkBytes, 1);
  return isBytes(bytes) ? cut(bytes, most) : cutStream(bytes, most);
}
