/**
 * The lines of a part of a file, which are read some KiB at a time, and decoded some lines at a time; on every thread.
 *
 * A line that V8 cuts out of a text keeps the whole text in memory. So what a caller keeps of a file, such as the lines that it has searched for, holds the texts
 * around them, until it is copied. What is alive when V8 collects young objects decides how far V8 lets the memory for these grow. In a search of 66 MB, where one line
 * in 95 was kept until its file was read, each worker took 16 MiB for young objects with texts of 4 KiB, and 8 with those of 1 KiB.
 */
import { host } from '../../core/engine.js';

/** A range of a file (bytes): of its lines those that begin there. */
export interface FileRange {
  readonly path: string;
  readonly start: number;
  /** Infinity: the end of the file. */
  readonly end: number;
}

export const LINE_FEED = 10;
/** So much is read at a time (bytes, 2^12 to 2^16): a read takes 3 us and more. */
const WINDOW_BYTES = 2 ** 14;
/** So much is decoded at a time, or a line if that is longer (bytes, 2^9 to 2^12). */
const PIECE_BYTES = 2 ** 10;
/** A thread keeps no larger buffer than this for its next file (bytes). */
const KEPT_BYTES = 2 ** 20;

/** The buffer of a reader that has come to its end, for the next one: V8 collects buffers late, so that a new one each time would take some tens of MB. */
let spare: Uint8Array | undefined;

const NO_BYTES = new Uint8Array(0);

function takeBuffer(): Uint8Array {
  const buffer = spare ?? new Uint8Array(WINDOW_BYTES);
  spare = undefined;
  return buffer;
}

/** Reads whole lines of a range, some at a time. */
export class LineReader {
  readonly #path: string;
  readonly #end: number;
  #at: number;
  #hasRead = false;
  #buffer = takeBuffer();

  constructor({ path, start, end }: FileRange) {
    this.#path = path;
    this.#end = end;
    this.#at = start === 0 ? 0 : this.#afterLineAt(start - 1); // a line begins where another one has ended
  }

  /** Bytes from a position on, fewer than asked for at the end of the file. They are there until this reader reads the next ones. */
  #bytesFrom(at: number, most: number): Uint8Array {
    const { readFileAt } = host();
    if (readFileAt === undefined)
      throw new TypeError(
        `furcate: a part of the file ${JSON.stringify(this.#path)} was read where there are no files by path.`,
      );
    if (most > this.#buffer.length) this.#buffer = new Uint8Array(most);
    const length = readFileAt(this.#path, at, this.#buffer.subarray(0, most), this.#hasRead);
    this.#hasRead = true;
    return this.#buffer.subarray(0, length);
  }

  /** Finds the end of the line that has the byte at a position; the end of the range if that comes first. */
  #afterLineAt(position: number): number {
    for (let at = position, most = PIECE_BYTES; at < this.#end; most = Math.min(2 * most, WINDOW_BYTES)) {
      const bytes = this.#bytesFrom(at, Math.min(most, this.#end - at));
      const found = bytes.indexOf(LINE_FEED);
      if (found >= 0) return at + found + 1;
      if (bytes.length === 0) break; // the file has become shorter
      at += bytes.length;
    }
    return this.#end;
  }

  /** Leaves the buffer to the next reader, once. */
  #leave(): undefined {
    if (this.#buffer.length > 0 && this.#buffer.length <= KEPT_BYTES) spare = this.#buffer;
    this.#buffer = NO_BYTES;
    this.#at = Number.POSITIVE_INFINITY;
  }

  /** The next lines, at least one, as bytes that are there until the next call; undefined at the end. */
  read(): Uint8Array | undefined {
    if (this.#at >= this.#end) return this.#leave();
    for (let most = Math.min(WINDOW_BYTES, this.#end - this.#at + PIECE_BYTES); ; most *= 2) {
      const bytes = this.#bytesFrom(this.#at, most);
      const last = this.#end - this.#at - 1; // no line of the range begins after this byte
      const end = (bytes.length > last ? bytes.indexOf(LINE_FEED, last) : bytes.lastIndexOf(LINE_FEED)) + 1;
      const isOver = bytes.length < most;
      if (end === 0 && !isOver) continue; // in the middle of a long line
      this.#at = isOver && (end === 0 || end === bytes.length) ? Number.POSITIVE_INFINITY : this.#at + end;
      if (bytes.length === 0) return this.#leave();
      return end === 0 ? bytes : bytes.subarray(0, end);
    }
  }
}

/** Its bytes are never shared, which `decodeText` would look at for each piece. */
let decoder: TextDecoder | undefined;

/** Finds the end of the next piece of whole lines, which begins at a place. */
function endOfPiece(lines: Uint8Array, start: number): number {
  const most = start + PIECE_BYTES;
  if (lines.length <= most) return lines.length;
  const end = lines.lastIndexOf(LINE_FEED, most - 1) + 1;
  return end > start ? end : lines.indexOf(LINE_FEED, most) + 1 || lines.length;
}

/** The lines of a range without their ends. */
export class Lines implements IterableIterator<string, undefined> {
  readonly #reader: LineReader;
  /** Bytes that were read, and how many of them are decoded. */
  #bytes: Uint8Array = NO_BYTES;
  #decoded = 0;
  #lines: readonly string[] = [];
  #next = 0;

  constructor(range: FileRange) {
    this.#reader = new LineReader(range);
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<string, undefined> {
    if (this.#next === this.#lines.length && !this.#decode()) return { done: true, value: undefined };
    const line = this.#lines[this.#next++] as string;
    return { done: false, value: line.charCodeAt(line.length - 1) === 13 ? line.slice(0, -1) : line };
  }

  #decode(): boolean {
    if (this.#decoded === this.#bytes.length) {
      const bytes = this.#reader.read();
      if (bytes === undefined) return false;
      this.#bytes = bytes;
      this.#decoded = 0;
    }
    const end = endOfPiece(this.#bytes, this.#decoded);
    decoder ??= new TextDecoder();
    const lines = decoder.decode(this.#bytes.subarray(this.#decoded, end)).split('\n');
    if (this.#bytes[end - 1] === LINE_FEED) lines.pop(); // what follows the last end
    this.#decoded = end;
    this.#lines = lines;
    this.#next = 0;
    return true;
  }
}
