/**
 * `fileParts`: files of text as parts of whole lines, each of which is read by the thread that works on it; on every thread.
 *
 * A file is not looked at when it is cut: a part has the lines that begin between two places. It reads on to the end of the last one, and leaves the rest of
 * a line that began before it to the part before it.
 */
import { builtinClass, decodeText } from '../../core/engine.js';
import { refuseRevoked } from '../../core/errors.js';
import { check, checkCount, readPlainOptions } from '../call/options.js';
import { type FilePath, named, opened } from './file-by-path.js';
import { LINE_FEED, LineReader, Lines } from './lines-in.js';

/** Options of `fileParts`. */
export interface FilePartsOptions {
  /**
   * Bytes from the beginning of a part to that of the next, an integer from 1 up; or Infinity, where each file is one part. Default 65,536: some hundreds of
   * lines.
   */
  partBytes?: number | undefined;
  /** Number of lines at the beginning of each file that are in no part, such as a header. Default 0. */
  skipLines?: number | undefined;
}

/** A part of a file of text: the lines that begin in it. It may stand in plain values, arguments, `context`, and fields of tasks. */
export interface FilePart {
  /** The path of the file, from the root on. */
  readonly path: string;
  /** The place in the file where the part begins (bytes). */
  readonly start: number;
  /** The place where the next part begins, or the file ends (bytes); Infinity where a file is one part. */
  readonly end: number;
  /**
   * Reads its lines as UTF-8, some at a time, as a loop asks for them: `[...part.lines()]` is an array of all.
   *
   * @returns an iterator of lines without their ends (`\n` or `\r\n`); none where no line begins in the part
   * @throws what the platform says
   */
  lines(): IterableIterator<string>;
  /**
   * Reads its lines as one text.
   *
   * @param encoding as of `TextDecoder`, one in which a byte of 10 is the end of a line; default 'utf-8'
   * @throws what the platform says; RangeError for an encoding that it does not know
   */
  text(encoding?: string): string;
  /** Reads its lines as bytes, which belong to the caller. @throws what the platform says */
  bytes(): Uint8Array;
}

const NAME = 'fileParts';
const PART_BYTES = 65_536;
/** Number of files that are open at once, while they are cut (4 to 64). */
const OPEN_FILES = 16;
const PATH = {
  name: NAME,
  needs: 'a path, a file: URL or an array of such',
  cure: 'Read a File or a Blob as a stream: lineChunks(file.stream()).',
};

/** Its fields travel. */
class LinesPart implements FilePart {
  readonly path: string;
  readonly start: number;
  readonly end: number;

  constructor(path: string, start: number, end: number) {
    this.path = path;
    this.start = start;
    this.end = end;
  }

  lines(): IterableIterator<string> {
    return new Lines(this);
  }

  text(encoding?: string): string {
    let text = '';
    for (const lines of this.#pieces()) text += decodeText(lines, encoding);
    return text;
  }

  bytes(): Uint8Array {
    const pieces = Array.from(this.#pieces(), (piece) => piece.slice());
    const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return all;
  }

  *#pieces(): Generator<Uint8Array, void, undefined> {
    const reader = new LineReader(this);
    for (let piece = reader.read(); piece !== undefined; piece = reader.read()) yield piece;
  }
}

builtinClass('FilePart', LinesPart);

/** Finds the end of some lines at the beginning of a file. */
async function afterLines(count: number, { size, read }: Awaited<ReturnType<typeof opened>>): Promise<number> {
  let place = 0;
  let left = count;
  while (left > 0) {
    const piece = await read();
    if (piece === undefined) return size;
    let at = 0;
    for (; left > 0 && at < piece.length; left--) {
      at = piece.indexOf(LINE_FEED, at) + 1 || piece.length + 1;
      if (at > piece.length) break;
    }
    place += Math.min(at, piece.length);
  }
  return place;
}

/**
 * Cuts files of text into parts of whole lines, which are read by the tasks that get them. Give the parts to `parallelMap`, `parallelReduce` or a pipeline,
 * whose function takes `part.lines()`: no thread ever has a part in memory whole, and the calling thread reads nothing. In Node, Bun and Deno.
 *
 * @param file a path or a `file:` URL of a file in which lines end with a line feed, as in UTF-8, or an array of such. In browsers use
 *   `lineChunks(file.stream())` instead
 * @param options `partBytes`, `skipLines`
 * @returns a promise of the parts in their order, each of which has the lines that begin in it: all together have each line of the files once. Lines that are
 *   added to a file later are in none, except where a file is one part
 * @throws (rejects with) TypeError, RangeError for other arguments, and for what has no size, such as a pipe; what the platform says of a file that it cannot
 *   open. A file that is one part is opened when its task reads it
 * @remarks Cost: opening each file, and 0.1 us for each part; for a part, reading 16 KiB at a time, during which its thread waits. Memory: 100 bytes for each
 *   part; of its lines 16 KiB, or the longest line. A line that is kept holds a KiB of the text around it, until it is copied: when it leaves its thread, for one.
 * @example
 * const countLines = (part) => [...part.lines()].length;
 * await parallelReduce(await fileParts(salesFile, { skipLines: 1 }), 'sum', { map: countLines }); // => 2
 */
export async function fileParts(
  file: FilePath | readonly FilePath[],
  options: FilePartsOptions = {},
): Promise<FilePart[]> {
  const { partBytes = PART_BYTES, skipLines = 0 } = readPlainOptions(NAME, options, ['partBytes', 'skipLines']);
  const isWhole = partBytes === Number.POSITIVE_INFINITY;
  const bytes = isWhole
    ? partBytes
    : checkCount(NAME, 'options.partBytes', partBytes, 1, ' Infinity makes each file one part.');
  const skipped = checkCount(NAME, 'options.skipLines', skipLines);
  const partsOf = async (path: unknown): Promise<FilePart[]> => {
    if (isWhole && skipped === 0) return [new LinesPart(named(path, PATH), 0, bytes)];
    const one = await opened(path, PATH);
    const parts: FilePart[] = [];
    try {
      const isEmpty = one.size === 0 && (await one.read()) === undefined;
      check(
        one.size > 0 || isEmpty,
        NAME,
        'file',
        'one that tells its size; of others, use lineChunks(stream)',
        one.path,
      );
      const end = isWhole && !isEmpty ? Number.POSITIVE_INFINITY : one.size;
      for (let start = await afterLines(skipped, one); start < end; start += bytes)
        parts.push(new LinesPart(one.path, start, Math.min(end, start + bytes)));
    } finally {
      await one.close();
    }
    return parts;
  };
  refuseRevoked(file, `${NAME}: file`);
  const files: readonly unknown[] = Array.isArray(file) ? file : [file];
  const all: FilePart[] = [];
  for (let k = 0; k < files.length; k += OPEN_FILES)
    for (const parts of await Promise.all(files.slice(k, k + OPEN_FILES).map(partsOf)))
      for (const part of parts) all.push(part);
  return all;
}
