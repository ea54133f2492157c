/**
 * The lines of a part of a file, which are read and decoded some at a time; on every thread.
 *
 * A caller that holds a few of them at a time keeps little alive when V8 collects young objects. What survives such collections decides how far V8 lets the memory
 * for young objects grow: with all lines of 64 KiB in one array, each worker took 17 MB for them instead of 8.
 */
import { decodeText, host } from '../../core/engine.js';

/** A range of a file (bytes): of its lines those that begin there. */
export interface FileRange {
  readonly path: string;
  readonly start: number;
  /** Infinity: the end of the file. */
  readonly end: number;
}

export const LINE_FEED = 10;
/** So much is read at a time (bytes, 2^12 to 2^14). With 2^13, V8's memory for young objects grew in some runs. */
const WINDOW_BYTES = 2 ** 12;
/** A thread keeps no more than this between reads (bytes). */
const KEPT_BYTES = 2 ** 20;

/** Where files are read to, one window after the other: V8 collects buffers late, so that a new one each time would take some tens of MB. */
let kept = new Uint8Array(0);

function room(bytes: number): Uint8Array {
  if (bytes > KEPT_BYTES) return new Uint8Array(bytes);
  if (bytes > kept.length) kept = new Uint8Array(bytes);
  return kept.subarray(0, bytes);
}

/** Reads whole lines of a range, some at a time. */
export class LineReader {
  readonly #path: string;
  readonly #end: number;
  #at: number;
  #hasRead = false;

  constructor({ path, start, end }: FileRange) {
    this.#path = path;
    this.#end = end;
    this.#at = start === 0 ? 0 : this.#afterLineAt(start - 1); // a line begins where another one has ended
  }

  /** Bytes from a position on, fewer than asked for at the end of the file. They are there until the next ones are read. */
  #bytesFrom(at: number, most: number): Uint8Array {
    const { readFileAt } = host();
    if (readFileAt === undefined)
      throw new TypeError(
        `furcate: a part of the file ${JSON.stringify(this.#path)} was read where there are no files by path.`,
      );
    const into = room(most);
    const length = readFileAt(this.#path, at, into, this.#hasRead);
    this.#hasRead = true;
    return into.subarray(0, length);
  }

  /** Where the line ends that has the byte at a position; the end of the range if that comes first. */
  #afterLineAt(position: number): number {
    for (let at = position; at < this.#end; at += WINDOW_BYTES) {
      const bytes = this.#bytesFrom(at, Math.min(WINDOW_BYTES, this.#end - at));
      const found = bytes.indexOf(LINE_FEED);
      if (found >= 0) return at + found + 1;
      if (bytes.length === 0) break; // the file has become shorter
    }
    return this.#end;
  }

  /** The next lines, at least one, as bytes that are there until something else is read; undefined at the end. */
  read(): Uint8Array | undefined {
    if (this.#at >= this.#end) return undefined;
    for (let most = WINDOW_BYTES; ; most *= 2) {
      const bytes = this.#bytesFrom(this.#at, most);
      const last = this.#end - this.#at - 1; // no line of the range begins after this byte
      const end = (bytes.length > last ? bytes.indexOf(LINE_FEED, last) : bytes.lastIndexOf(LINE_FEED)) + 1;
      const isOver = bytes.length < most;
      if (end === 0 && !isOver) continue; // in the middle of a long line
      this.#at = isOver && end === 0 ? Number.POSITIVE_INFINITY : this.#at + end;
      if (bytes.length === 0) return undefined;
      return end === 0 ? bytes : bytes.subarray(0, end);
    }
  }
}

/** The lines of a range without their ends. */
export class Lines implements IterableIterator<string, undefined> {
  readonly #reader: LineReader;
  #lines: readonly string[] = [];
  #next = 0;

  constructor(range: FileRange) {
    this.#reader = new LineReader(range);
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<string, undefined> {
    if (this.#next === this.#lines.length && !this.#read()) return { done: true, value: undefined };
    const line = this.#lines[this.#next++] as string;
    return { done: false, value: line.charCodeAt(line.length - 1) === 13 ? line.slice(0, -1) : line };
  }

  #read(): boolean {
    const bytes = this.#reader.read();
    if (bytes === undefined) return false;
    const lines = decodeText(bytes).split('\n');
    if (bytes[bytes.length - 1] === LINE_FEED) lines.pop(); // what follows the last end
    this.#lines = lines;
    this.#next = 0;
    return true;
  }
}
