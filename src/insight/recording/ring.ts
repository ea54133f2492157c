/**
 * A ring in shared memory, in which one thread writes events, and the thread that owns the pool reads them. Neither waits for the other.
 *
 * ```
 * | header: head, lost ... | tail ... | entry 0 | entry 1 | ... | entry ENTRIES - 1 |
 *
 * entry of an event = | kind, name << 5 | about | start (double) | duration (double) | 2 free words |
 * entry of a name   = | DEFINES, name << 5 | bytes |              and its text in the entries that follow
 * ```
 *
 * | word | written by | read by | access |
 * | --- | --- | --- | --- |
 * | head: entries written so far (modulo 2^32) | the writer | the reader | atomic |
 * | tail: entries read so far | the reader | the writer, when the ring seems full | atomic |
 * | lost: events for which there was no room | the writer | the reader | plain: a count for people |
 * | entries between tail and head | the writer, before it stores head | the reader, before it stores tail | plain |
 *
 * O1. An entry is written before head is stored; pairs with the reader's load of head. O2. An entry is read before tail is stored; pairs with the writer's
 * load of tail. A writer that finds no room counts the event as lost and goes on, so that what is observed does not wait. A thread that dies in the
 * middle of an entry has not stored head, so the entry does not exist.
 */
import { load, store } from '../../core/memory/atomics.js';
import type { TimelineEvent } from './timeline-event.js';

const W_HEAD = 0;
const W_LOST = 1;
const W_TAIL = 32;
const HEADER_WORDS = 64;
const ENTRY_WORDS = 8;
const ENTRY_BYTES = 4 * ENTRY_WORDS;
/** A power of two. At 50 ms between two looks of the reader, a thread may write 300,000 events in a second. */
const ENTRIES = 2 ** 14;

export const RING_BYTES = 4 * HEADER_WORDS + ENTRIES * ENTRY_BYTES;

const KIND_BITS = 5;
const KIND_MASK = 2 ** KIND_BITS - 1;
/** The kind of an entry that defines a name. */
const DEFINES = 0;
/** Longer names are cut. */
const MAX_NAME_BYTES = 8 * ENTRY_BYTES;
/** Between the name and the module of a text. */
const SEPARATOR = '\0';

/** The memory of a ring, as one thread sees it. */
export class RingMemory {
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  readonly bytes: Uint8Array;

  /** @param bytes `RING_BYTES` of them, aligned to 8 */
  constructor(bytes: Uint8Array) {
    const { buffer, byteOffset } = bytes;
    this.bytes = bytes;
    this.words = new Int32Array(buffer, byteOffset, RING_BYTES / 4);
    this.doubles = new Float64Array(buffer, byteOffset, RING_BYTES / 8);
  }

  /** For memory of any values, before another thread knows of it. */
  cleared(): this {
    this.words.fill(0, 0, HEADER_WORDS);
    return this;
  }
}

/** Position at which an entry begins, in words. */
const placeOf = (entry: number): number => HEADER_WORDS + (entry & (ENTRIES - 1)) * ENTRY_WORDS;

export class RingWriter {
  readonly #memory: RingMemory;
  readonly #onFull: () => void;
  #head: number;
  #tail: number;
  readonly #names = new Map<unknown, number>();
  #named = 0;

  /** @param onFull may make room, where reader and writer are one thread */
  constructor(memory: RingMemory, onFull: () => void = () => {}) {
    this.#memory = memory;
    this.#onFull = onFull;
    this.#head = load(memory.words, W_HEAD); // a thread before this one may have written
    this.#tail = load(memory.words, W_TAIL);
  }

  /** The entries written so far (modulo 2^32). */
  get written(): number {
    return this.#head;
  }

  /** Writes an event, unless there is no room. @param key of its name: see `nameOf` */
  write(kind: number, name: number, startUs: number, us: number, about: number): void {
    if (name < 0 || !this.#hasRoom(1)) {
      this.#memory.words[W_LOST]++; // plain: sole writer
      return;
    }
    const { words, doubles } = this.#memory;
    const at = placeOf(this.#head);
    words[at] = kind | (name << KIND_BITS); // plain, as the next: O1
    words[at + 1] = about;
    doubles[(at + 2) >> 1] = startUs;
    doubles[(at + 4) >> 1] = us;
    this.#head = (this.#head + 1) | 0;
    store(words, W_HEAD, this.#head); // O1
  }

  /**
   * The number of a name, which is defined in the ring at its first use.
   *
   * @param key of the name: an object or a text
   * @returns -1 if there is no room for its definition
   */
  nameOf(key: unknown, name: string, module = ''): number {
    return this.#names.get(key) ?? this.#define(key, name + SEPARATOR + module);
  }

  #define(key: unknown, text: string): number {
    const encoded = new TextEncoder().encode(text).subarray(0, MAX_NAME_BYTES);
    const more = Math.ceil(encoded.length / ENTRY_BYTES);
    if (!this.#hasRoom(1 + more)) return -1;
    const { words, bytes } = this.#memory;
    const at = placeOf(this.#head);
    words[at] = DEFINES | (this.#named << KIND_BITS); // plain, as the next: O1
    words[at + 1] = encoded.length;
    for (let k = 0; k < more; k++)
      bytes.set(encoded.subarray(k * ENTRY_BYTES, (k + 1) * ENTRY_BYTES), 4 * placeOf(this.#head + 1 + k));
    this.#head = (this.#head + 1 + more) | 0;
    store(words, W_HEAD, this.#head); // O1
    this.#names.set(key, this.#named);
    return this.#named++;
  }

  #hasRoom(entries: number): boolean {
    if (((this.#head - this.#tail) | 0) <= ENTRIES - entries) return true;
    this.#onFull();
    this.#tail = load(this.#memory.words, W_TAIL); // O2
    return ((this.#head - this.#tail) | 0) <= ENTRIES - entries;
  }
}

export class RingReader {
  readonly #memory: RingMemory;
  #tail: number;
  #lost = 0;
  readonly #names = new Map<number, readonly [name: string, module: string]>();

  constructor(memory: RingMemory) {
    this.#memory = memory;
    this.#tail = load(memory.words, W_TAIL);
  }

  /** Takes all events that are there; returns how many more were lost since the last time. */
  read(take: (event: TimelineEvent) => void): number {
    const { words, doubles } = this.#memory;
    const head = load(words, W_HEAD); // O1
    while (this.#tail !== head) {
      const at = placeOf(this.#tail);
      const kind = words[at] & KIND_MASK; // plain, as the next: O1
      const name = words[at] >>> KIND_BITS;
      if (kind === DEFINES) {
        this.#tail = this.#defined(name, words[at + 1]);
        continue;
      }
      const [text, module] = this.#names.get(name) ?? ['', ''];
      const [startUs, us] = [doubles[(at + 2) >> 1], doubles[(at + 4) >> 1]];
      take({ kind, name: text, module, startUs, us, about: words[at + 1] >>> 0 });
      this.#tail = (this.#tail + 1) | 0;
    }
    store(words, W_TAIL, head); // O2
    const lost = words[W_LOST]; // plain: for people
    const more = (lost - this.#lost) | 0;
    this.#lost = lost;
    return more;
  }

  /** Takes the definition of a name; returns the entry behind it. */
  #defined(name: number, length: number): number {
    const encoded = new Uint8Array(length);
    const more = Math.ceil(length / ENTRY_BYTES);
    for (let k = 0; k < more; k++) {
      const from = 4 * placeOf(this.#tail + 1 + k);
      encoded.set(
        this.#memory.bytes.subarray(from, from + Math.min(ENTRY_BYTES, length - k * ENTRY_BYTES)),
        k * ENTRY_BYTES,
      );
    }
    const [text = '', module = ''] = new TextDecoder().decode(encoded).split(SEPARATOR);
    this.#names.set(name, [text, module]);
    return (this.#tail + 1 + more) | 0;
  }
}
