/**
 * A timeline in a file, which is complete after each write: its end is written with what comes before it, and what comes next is written in
 * the place of that end. So a process that is killed leaves a file that can be read; on the thread that owns the pools.
 */
import { host } from '../../core/engine.js';
import { BinaryFormat } from './binary-format.js';
import type { TimelineProcess, Track } from './chrome-events.js';
import { JsonFormat, type TimelineFormat } from './json-format.js';
import type { TimelineSink } from './thread-track.js';
import type { TimelineEvent } from './timeline-event.js';

/** Size at which what is to be written is written, at the latest (bytes). */
const PIECE = 2 ** 20;

interface WritableFile {
  write(bytes: Uint8Array, at: number): void;
}

/** The check sum of the gzip format, of all bytes so far. */
class Checksum {
  static readonly #table = Int32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum & 1) === 0 ? sum >>> 1 : (sum >>> 1) ^ 0xedb88320;
    return sum;
  });
  #sum = -1;

  get value(): number {
    return ~this.#sum;
  }

  of(bytes: Uint8Array): Checksum {
    const next = new Checksum();
    let sum = this.#sum;
    for (const byte of bytes) sum = (Checksum.#table[(sum ^ byte) & 255] as number) ^ (sum >>> 8);
    next.#sum = sum;
    return next;
  }
}

/** Puts bytes behind each other. */
function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A stream of the gzip format whose end can be written again and again. */
class GzipOutput {
  static readonly #HEAD = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
  /** The last block of the DEFLATE format, which is empty. */
  static readonly #LAST_BLOCK = Uint8Array.of(3, 0);
  readonly #below: WritableFile;
  readonly #deflate: (bytes: Uint8Array) => Uint8Array;
  /** Description of what will stay: how long it is, compressed and not, and its check sum. */
  #compressedLength = GzipOutput.#HEAD.length;
  #length = 0;
  #sum = new Checksum();
  /**
   * Pieces that stay, and are not in the file yet: they go there with an end, or a process that is killed might leave a file
   * without.
   */
  #kept: Uint8Array[] = [];

  constructor(below: WritableFile, deflate: (bytes: Uint8Array) => Uint8Array) {
    this.#below = below;
    this.#deflate = deflate;
    below.write(GzipOutput.#HEAD, 0);
  }

  /** Writes the end. What is written next takes its place. */
  write(bytes: Uint8Array): void {
    const sum = this.#sum.of(bytes);
    const trailer = new Uint8Array(8);
    const view = new DataView(trailer.buffer);
    view.setInt32(0, sum.value, true);
    view.setUint32(4, (this.#length + bytes.length) % 2 ** 32, true);
    const kept = joined(...this.#kept.splice(0));
    this.#below.write(joined(kept, this.#deflate(bytes), GzipOutput.#LAST_BLOCK, trailer), this.#compressedLength);
    this.#compressedLength += kept.length;
  }

  /** Writes bytes, and what is written next stands behind them. */
  keep(bytes: Uint8Array): void {
    this.#kept.push(this.#deflate(bytes));
    this.#sum = this.#sum.of(bytes);
    this.#length += bytes.length;
  }
}

/** As `GzipOutput`, of plain text. */
class PlainOutput {
  readonly #below: WritableFile;
  #length = 0;
  #kept: Uint8Array[] = [];

  constructor(below: WritableFile) {
    this.#below = below;
  }

  write(bytes: Uint8Array): void {
    const kept = joined(...this.#kept.splice(0));
    this.#below.write(joined(kept, bytes), this.#length);
    this.#length += kept.length;
  }

  keep(bytes: Uint8Array): void {
    this.#kept.push(bytes);
  }
}

/** Binary if the path says so, before `.gz`. */
const isBinary = (path: string): boolean => /\.bin(\.gz)?$/.test(path);

export class TraceFile implements TimelineSink {
  readonly startUs: number;
  /** The same since 1970. */
  readonly #epochUs: number;
  readonly #format: TimelineFormat;
  readonly #output: Pick<GzipOutput, 'write' | 'keep'>;
  #dropped = 0;
  #isChanged = true;

  /**
   * @param startUs when the timeline begins, by the clock that all threads share
   * @throws what the platform says when the file cannot be made
   */
  constructor(path: string, startUs: number) {
    const platform = host().recording?.() as NonNullable<ReturnType<NonNullable<ReturnType<typeof host>['recording']>>>;
    const file = platform.createFile(path);
    this.startUs = startUs;
    this.#epochUs = (performance.timeOrigin + performance.now()) * 1000;
    this.#format = isBinary(path) ? new BinaryFormat(startUs) : new JsonFormat(startUs);
    this.#output = path.endsWith('.gz') ? new GzipOutput(file, platform.deflate) : new PlainOutput(file);
    this.#output.keep(this.#format.begin);
    this.flush();
  }

  process({ name, clocks }: Omit<TimelineProcess, 'startUs'>): void {
    const since = clocks.map((clock) => ({ ...clock, atUs: clock.atUs - this.startUs }));
    this.#format.process(0, { name, startUs: this.#epochUs, clocks: since });
    this.#isChanged = true;
  }

  name(track: Track): void {
    this.#format.name(track);
    this.#isChanged = true;
  }

  add(event: TimelineEvent, track: Track): void {
    this.#format.add(event, track);
    this.#isChanged = true;
    if (this.#format.size > PIECE) this.#keep();
  }

  drop(events: number): void {
    this.#dropped += events;
    this.#isChanged ||= events > 0;
  }

  /** Now the file has all. */
  flush(): void {
    if (!this.#isChanged) return;
    this.#keep();
    this.#isChanged = false;
    this.#output.write(this.#format.end(this.#dropped));
  }

  #keep(): void {
    if (this.#format.size > 0) this.#output.keep(this.#format.take());
  }
}
