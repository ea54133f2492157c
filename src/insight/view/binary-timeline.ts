/** Reads the bytes that `BinaryFormat` writes; in the command, and in the page that it writes. */
import {
  HEADER,
  hasValue,
  R_CLOCK,
  R_LOST,
  R_NAME,
  R_PROCESS,
  R_THREAD,
  SAME_THREAD,
  TELLING,
} from '../recording/binary-format.js';
import { STOLEN } from '../recording/timeline-event.js';
import { TableBuilder, type TimelineTable } from './timeline-table.js';

const decoder = new TextDecoder();

const headerOf = (bytes: Uint8Array): string => decoder.decode(bytes.subarray(0, HEADER.length));

/** Checks whether it is such a file, of whatever version. */
export const isBinaryTimeline = (bytes: Uint8Array): boolean => /^furcate timeline \d/.test(headerOf(bytes));

/** The bytes end in the middle of a record. */
class CutOff extends RangeError {
  constructor() {
    super('furcate: the timeline ends in the middle of an event.');
  }
}

class RecordBytes {
  at = HEADER.length;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get hasMore(): boolean {
    return this.at < this.#bytes.length;
  }

  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      if (!this.hasMore) throw new CutOff();
      const byte = this.#bytes[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  signed(): number {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  text(): string {
    const length = this.number();
    if (this.at + length > this.#bytes.length) throw new CutOff();
    this.at += length;
    return decoder.decode(this.#bytes.subarray(this.at - length, this.at));
  }
}

class TimelineReader {
  readonly #bytes: RecordBytes;
  readonly #builder = new TableBuilder();
  readonly #ends: number[] = [];
  #thread = -1;
  #dropped = 0;
  #process = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = new RecordBytes(bytes);
  }

  all(): TimelineTable {
    try {
      while (this.#bytes.hasMore) this.#record();
    } catch (error) {
      if (!(error instanceof CutOff)) throw error; // its process was killed in the middle of a write
    }
    return this.#builder.table(this.#dropped);
  }

  #record(): void {
    const bytes = this.#bytes;
    const first = bytes.number();
    if (first === R_NAME) this.#builder.names.push({ name: bytes.text(), module: bytes.text() });
    else if (first === R_LOST) this.#dropped = bytes.number();
    else if (first === R_THREAD) this.#builder.addThread(bytes.number(), bytes.text(), this.#process);
    else if (first === R_PROCESS) {
      this.#process = bytes.number();
      const startUs = bytes.number();
      this.#builder.setProcess(this.#process, { name: bytes.text(), startUs });
    } else if (first === R_CLOCK) {
      const process = bytes.number();
      const [atUs, offsetUs, errorUs] = [0, 0, 0].map(() => bytes.signed() / 1000);
      this.#builder.addClock(process, { atUs, offsetUs, errorUs });
    } else this.#event(first);
  }

  #event(first: number): void {
    const bytes = this.#bytes;
    const kind = first % SAME_THREAD;
    const thread = first >= SAME_THREAD ? this.#thread : this.#builder.threadOf(bytes.number());
    const name = bytes.number();
    if (this.#builder.names[name] === undefined)
      throw new TypeError('furcate: the timeline is damaged: an event has a name that the file does not tell.');
    const end = (this.#ends[thread] ?? 0) + bytes.signed();
    const amount = bytes.number();
    let about = TELLING.includes(kind) ? bytes.number() : 0;
    if (kind === STOLEN) about = about === 0 ? -1 : this.#builder.threadOf(about - 1);
    const start = hasValue(kind) ? end : end - amount;
    this.#builder.add(kind, thread, name, start / 1000, hasValue(kind) ? amount : amount / 1000, about);
    this.#ends[thread] = end;
    this.#thread = thread;
  }
}

/** @throws TypeError when it is no such file, or one of another version, or damaged */
export function readBinary(bytes: Uint8Array): TimelineTable {
  if (headerOf(bytes) !== HEADER)
    throw new TypeError(
      `furcate: this is no timeline that this version can read: it begins with ${JSON.stringify(headerOf(bytes))}, not with ${JSON.stringify(HEADER)}.`,
    );
  return new TimelineReader(bytes).all();
}
