/**
 * A timeline as compact bytes: a million events are some 10 MB, and 89 MB as JSON. On the thread that owns the pools, and in what shows timelines.
 *
 * ```
 * furcate timeline 1\n record record ...
 *
 * process = | R_PROCESS | number | begin | name |            of the threads that follow; the last one of a number counts
 * clock   = | R_CLOCK | number of the process | time | how far another clock is ahead | by how much that may be wrong |
 * thread  = | R_THREAD | number | name |
 * name    = | R_NAME | name | module |                       the next number, from 0
 * lost    = | R_LOST | how many events, since the begin |    the last one counts
 * event   = | kind | number of the thread | number of the name | end | duration | about |
 * ```
 *
 * Numbers are of 7 bits a byte, the lowest first, and the highest bit of a byte says that more follow. Texts have their length in bytes before them. The end of an event is the
 * difference to the end of the event before it of the same thread, in nanoseconds; a sign is its lowest bit. A duration is in nanoseconds, and a count stands in its place. With
 * `SAME_THREAD` the event is of the thread of the event before, and has no number of a thread. Only some kinds tell what they are about; of a stolen task that is
 * the number of the victim's thread + 1. A file that was cut off in a record is whole without that record.
 */
import type { TimelineProcess, Track } from './chrome-events.js';
import type { TimelineFormat } from './json-format.js';
import {
  CONTINUED,
  COPY,
  COROUTINE,
  GAUGE,
  HEAP,
  INVOCATION,
  JOB,
  NODE,
  READY,
  SLEEPERS,
  STOLEN,
  type TimelineEvent,
  UNITS,
  WAITED,
} from './timeline-event.js';

export const HEADER = 'furcate timeline 1\n';
export const R_NAME = 0;
export const R_CLOCK = 28;
export const R_PROCESS = 29;
export const R_LOST = 30;
export const R_THREAD = 31;
export const SAME_THREAD = 32;
/** Kinds of events that say what they are about. */
export const TELLING: readonly number[] = [
  STOLEN,
  UNITS,
  INVOCATION,
  COROUTINE,
  COPY,
  NODE,
  READY,
  WAITED,
  JOB,
  CONTINUED,
];

/** Checks whether it is a count, with a value in the place of a duration. */
export const isCount = (kind: number): boolean => (kind >= HEAP && kind <= SLEEPERS) || kind === GAUGE;
/** Checks whether a value stands in the place of its duration. */
export const hasValue = (kind: number): boolean => isCount(kind) || kind === READY;

const encoder = new TextEncoder();
/** No number is longer (bytes): 53 bits and a sign. */
const LONGEST = 8;

export class BinaryFormat implements TimelineFormat {
  readonly begin = encoder.encode(HEADER);
  readonly #startUs: number;
  #bytes = new Uint8Array(2 ** 16);
  #size = 0;
  readonly #names = new Map<string, number>();
  /** The end of the last event of each thread. */
  readonly #ends = new Map<number, number>();
  #thread = -1;
  readonly #processes: TimelineProcess[] = [];

  /** @param startUs when the timeline begins, by the clock that all threads share */
  constructor(startUs: number) {
    this.#startUs = startUs;
  }

  get size(): number {
    return this.#size;
  }

  /** Writes what is new. */
  process(process: number, known: TimelineProcess): void {
    const before = this.#processes[process];
    this.#processes[process] = known;
    if (before?.name !== known.name || this.#processes.length > 1) {
      this.#number(R_PROCESS);
      this.#number(process);
      this.#number(Math.round(known.startUs));
      this.#text(known.name);
    }
    for (const { atUs, offsetUs, errorUs } of known.clocks.slice(before?.clocks.length ?? 0)) {
      this.#number(R_CLOCK);
      this.#number(process);
      for (const us of [atUs, offsetUs, errorUs]) this.#signed(Math.round(us * 1000));
    }
  }

  name({ tid, name }: Track): void {
    this.#number(R_THREAD);
    this.#number(tid);
    this.#text(name);
  }

  add({ kind, name, module, startUs, us, about }: TimelineEvent, track: Track): void {
    const number = this.#nameOf(name, isCount(kind) && kind !== GAUGE ? track.name : module); // a pool counts, too, and is no thread
    const { tid } = track;
    const begin = Math.round((startUs - this.#startUs) * 1000);
    const end = hasValue(kind) ? begin : Math.round((startUs + us - this.#startUs) * 1000);
    const isSame = tid === this.#thread;
    this.#number(isSame ? kind + SAME_THREAD : kind);
    if (!isSame) this.#number(tid);
    this.#number(number);
    this.#signed(end - (this.#ends.get(tid) ?? 0));
    this.#number(hasValue(kind) ? Math.round(us) : end - begin);
    if (kind === STOLEN) this.#number((track.other(about)?.tid ?? -1) + 1);
    else if (TELLING.includes(kind)) this.#number(about);
    this.#ends.set(tid, end);
    this.#thread = tid;
  }

  #nameOf(name: string, module: string): number {
    const key = `${name}\0${module}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    this.#number(R_NAME);
    this.#text(name);
    this.#text(module);
    const number = this.#names.size;
    this.#names.set(key, number);
    return number;
  }

  #makeRoom(bytes: number): void {
    if (this.#size + bytes <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * this.#bytes.length + bytes);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }

  /** Of numbers beyond 32 bits, too, which shifts would cut off. */
  #number(value: number): void {
    this.#makeRoom(LONGEST);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[this.#size++] = (rest % 128) + 128;
    this.#bytes[this.#size++] = rest;
  }

  #signed(value: number): void {
    this.#number(value < 0 ? -2 * value - 1 : 2 * value);
  }

  #text(text: string): void {
    const encoded = encoder.encode(text);
    this.#number(encoded.length);
    this.#makeRoom(encoded.length);
    this.#bytes.set(encoded, this.#size);
    this.#size += encoded.length;
  }

  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#size);
    this.#size = 0;
    return taken;
  }

  end(dropped: number): Uint8Array {
    if (dropped === 0) return new Uint8Array();
    this.#number(R_LOST);
    this.#number(dropped);
    return this.take();
  }
}
