/**
 * The code table: what every thread of the process calls the same code by, a number; runs on every thread.
 *
 * Append-only in shared memory, lock-free, and never freed: an id that stands in a record means the same for ever.
 *
 * ```
 * root word -> chunk block                     entry block, immutable but for N
 *              | next | e0 | e1 .. e255 |      | kind hash place# name# N | place | name | UTF-16
 * ```
 *
 * Blocks are named by byte offset, 0 for none. A block is filled in first and then put in its place by one
 * compare-and-swap of 0, so a thread that dies halfway leaks a block and blocks nobody. README.md has the rules.
 */

import { compareExchange, load } from '../memory/atomics.js';
import { allocBytes, bytesAt, freeBytes, heapAvailable, heapWords, ROOT_CODE_TABLE } from '../memory/heap.js';
import { CODE_TAG } from '../memory/heap-layout.js';
import { readText, TEXT_BYTES_PER_UNIT, writeText } from './shared-text.js';
import { PlainStorage, type TableStorage } from './table-storage.js';

/**
 * What an entry is: registered code (place is a URL), inline source (place), the field names of a class (name), a kind of
 * job (place is the part of the library that has it), or a part (place). In the order of their numbers in memory.
 */
const KINDS = ['class', 'function', 'error', 'source', 'shape', 'value class', 'job', 'part'] as const;
type CodeKind = (typeof KINDS)[number];
export const KIND_SOURCE: CodeKind = 'source';
export const KIND_SHAPE: CodeKind = 'shape';
export const KIND_JOB: CodeKind = 'job';
export const KIND_PART: CodeKind = 'part';

export interface CodeEntry {
  readonly kind: CodeKind;
  /** The URL of a module, or the source itself. */
  readonly url: string;
  readonly name: string;
}

/** Entries that a table holds; the 65,537th is refused. */
export const MAX_ENTRIES = 65_536;
const CHUNK_ENTRIES = 256;

// Words of a chunk.
/** Offset of the next chunk, 0 for none. */
const C_NEXT = 0;
const C_ENTRIES = 1;
const CHUNK_WORDS = C_ENTRIES + CHUNK_ENTRIES;

// Words of an entry block; the texts follow.
const E_KIND = 0;
const E_HASH = 1;
const E_PLACE_UNITS = 2;
const E_NAME_UNITS = 3;
/** Offset of the note, 0 for none. */
const E_NOTE = 4;
const ENTRY_WORDS = 5;

const WORD_BYTES = 4;

/** FNV-1a over the UTF-16 units of all three. */
export function hashOf(kind: number, url: string, name: string): number {
  let hash = 0x811c9dc5 ^ kind;
  for (const text of [url, name]) {
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    hash = Math.imul(hash ^ 0x10000, 0x01000193); // where the first text ends counts
  }
  return hash;
}

/** One thread's view of the table. Whatever it has read it keeps: entries do not change. */
export class CodeTable {
  readonly #storage: TableStorage;
  /** Of the chain of chunks as far as this thread has read it. */
  readonly #chunks: Int32Array[] = [];
  /** Words of the entries read so far, by id, and where they lie. */
  readonly #words: Int32Array[] = [];
  readonly #offsets: number[] = [];
  readonly #entries: CodeEntry[] = [];
  /** Ids by hash, of all entries below `#words.length`. */
  readonly #byHash = new Map<number, number[]>();
  readonly #registrations = new WeakMap<object, number>();

  constructor(storage: TableStorage) {
    this.#storage = storage;
  }

  /** Entries that there are now. */
  get size(): number {
    this.#readNew();
    return this.#words.length;
  }

  /**
   * The id of this code, appended if it is new.
   *
   * @throws RangeError when the table is full, or the shared heap
   */
  idOf(kind: CodeKind, url: string, name: string): number {
    const hash = hashOf(KINDS.indexOf(kind), url, name);
    const known = this.#find(hash, kind, url, name);
    return known >= 0 ? known : this.#append(hash, kind, url, name);
  }

  /** As `idOf`, remembered by the entry itself: for what is looked up at every publication. */
  idOfRegistration(registration: CodeEntry): number {
    let id = this.#registrations.get(registration);
    if (id === undefined) {
      id = this.idOf(registration.kind, registration.url, registration.name);
      this.#registrations.set(registration, id);
    }
    return id;
  }

  /** What an id stands for. */
  entry(id: number): CodeEntry {
    const known = this.#entries[id];
    if (known !== undefined) return known;
    if (id >= this.#words.length) this.#readNew();
    const words = this.#words[id];
    if (words === undefined) throw new RangeError(`furcate: the code table has no entry ${id}.`);
    return this.#decode(id, words);
  }

  /**
   * Gives an entry a note: why code cannot be had in workers, or the text of a part. The first note stays.
   *
   * @returns whether this note is the first
   */
  annotate(id: number, note: string): boolean {
    this.entry(id);
    const bytes = WORD_BYTES + note.length * TEXT_BYTES_PER_UNIT;
    const offset = this.#storage.alloc(bytes);
    this.#wordsAt(offset, 1)[0] = note.length; // plain: not public yet
    writeText(this.#storage.bytesAt(offset, bytes), WORD_BYTES, note);
    const before = compareExchange(this.#words[id] as Int32Array, E_NOTE, 0, offset | 0); // T3 publishes the note
    if (before !== 0) this.#storage.free(offset);
    return before === 0;
  }

  /** The note of an entry, whichever thread gave it. */
  noteOf(id: number): string | undefined {
    this.entry(id);
    const offset = load(this.#words[id] as Int32Array, E_NOTE) >>> 0; // T3
    if (offset === 0) return undefined;
    const length = this.#wordsAt(offset, 1)[0] as number;
    const bytes = WORD_BYTES + length * TEXT_BYTES_PER_UNIT;
    return readText(this.#storage.bytesAt(offset, bytes), WORD_BYTES, length);
  }

  /** True for the first caller in the process: whoever gives the one warning about main modules. */
  claimWarning(): boolean {
    return this.annotate(this.idOf(KIND_SHAPE, '', 'warned'), '');
  }

  #find(hash: number, kind: CodeKind, url: string, name: string): number {
    for (const id of this.#byHash.get(hash) ?? []) {
      const entry = this.entry(id);
      if (entry.kind === kind && entry.name === name && entry.url === url) return id;
    }
    return -1;
  }

  /** Goes through the slots from the first unread one: an equal entry of another thread's is found before a free slot. */
  #append(hash: number, kind: CodeKind, url: string, name: string): number {
    let own = 0;
    for (;;) {
      this.#readNew();
      const known = this.#find(hash, kind, url, name);
      if (known >= 0) {
        if (own !== 0 && this.#offsets[known] !== own) this.#storage.free(own); // another thread was faster
        return known;
      }
      const id = this.#words.length;
      if (id >= MAX_ENTRIES) throw tableFull(kind);
      if (own === 0) own = this.#write(hash, kind, url, name);
      const chunk = this.#chunkOf(id) ?? this.#addChunk();
      compareExchange(chunk, C_ENTRIES + (id % CHUNK_ENTRIES), 0, own | 0); // T1 publishes the entry; whoever won, the next turn reads it
    }
  }

  /** Takes note of the entries that this thread has not seen. */
  #readNew(): void {
    for (let id = this.#words.length; id < MAX_ENTRIES; id++) {
      const chunk = this.#chunkOf(id);
      const offset = chunk === undefined ? 0 : load(chunk, C_ENTRIES + (id % CHUNK_ENTRIES)) >>> 0; // T1
      if (offset === 0) return;
      const words = this.#wordsAt(offset, ENTRY_WORDS);
      const hash = words[E_HASH] as number; // plain: immutable once published
      const ids = this.#byHash.get(hash);
      this.#words.push(words);
      this.#offsets.push(offset);
      if (ids === undefined) this.#byHash.set(hash, [id]);
      else ids.push(id);
    }
  }

  #write(hash: number, kind: CodeKind, url: string, name: string): number {
    const textAt = ENTRY_WORDS * WORD_BYTES;
    const bytes = textAt + (url.length + name.length) * TEXT_BYTES_PER_UNIT;
    const offset = this.#storage.alloc(bytes);
    const block = this.#storage.bytesAt(offset, bytes);
    const words = new Int32Array(block.buffer, block.byteOffset, ENTRY_WORDS);
    words[E_KIND] = KINDS.indexOf(kind); // plain, all of them: not public yet
    words[E_HASH] = hash;
    words[E_PLACE_UNITS] = url.length;
    words[E_NAME_UNITS] = name.length;
    words[E_NOTE] = 0;
    writeText(block, textAt, url);
    writeText(block, textAt + url.length * TEXT_BYTES_PER_UNIT, name);
    return offset;
  }

  #decode(id: number, words: Int32Array): CodeEntry {
    const [kind, , urlUnits, nameUnits] = words as unknown as [number, number, number, number]; // plain: immutable
    const textAt = ENTRY_WORDS * WORD_BYTES;
    const bytes = textAt + (urlUnits + nameUnits) * TEXT_BYTES_PER_UNIT;
    const block = this.#storage.bytesAt(this.#offsets[id] as number, bytes);
    const url = readText(block, textAt, urlUnits);
    const name = readText(block, textAt + urlUnits * TEXT_BYTES_PER_UNIT, nameUnits);
    const entry = { kind: KINDS[kind] as CodeKind, url, name };
    this.#entries[id] = entry;
    return entry;
  }

  /** The chunk with the slot of an entry, if there is one; entries are read in order, and so are chunks. */
  #chunkOf(id: number): Int32Array | undefined {
    const known = this.#chunks[Math.floor(id / CHUNK_ENTRIES)];
    if (known !== undefined) return known;
    const [words, at] = this.#end();
    const offset = load(words, at) >>> 0; // T2
    return offset === 0 ? undefined : this.#read(offset);
  }

  /** Appends a chunk to the chain: the thread whose swap succeeds made it. */
  #addChunk(): Int32Array {
    const [words, at] = this.#end();
    const offset = this.#storage.alloc(CHUNK_WORDS * WORD_BYTES);
    this.#wordsAt(offset, CHUNK_WORDS).fill(0); // plain: not public yet
    const before = compareExchange(words, at, 0, offset | 0) >>> 0; // T2 publishes the zeroes
    if (before !== 0) this.#storage.free(offset);
    return this.#read(before === 0 ? offset : before);
  }

  /** The word that names the chunk after those that this thread has read. */
  #end(): readonly [words: Int32Array, at: number] {
    const last = this.#chunks.at(-1);
    return last === undefined ? [this.#storage.words, this.#storage.root] : [last, C_NEXT];
  }

  #read(offset: number): Int32Array {
    const chunk = this.#wordsAt(offset, CHUNK_WORDS);
    this.#chunks.push(chunk);
    return chunk;
  }

  #wordsAt(offset: number, count: number): Int32Array {
    const bytes = this.#storage.bytesAt(offset, count * WORD_BYTES);
    return new Int32Array(bytes.buffer, bytes.byteOffset, count);
  }
}

function tableFull(kind: CodeKind): RangeError {
  const cure =
    kind === 'source'
      ? 'Functions are told apart by their source: pass what varies in `context`, or make the function a forkable.'
      : 'Register each class or function once, under a name that does not change.';
  return new RangeError(`furcate: the code table is full: ${MAX_ENTRIES} different pieces of code were used. ${cure}`);
}

let current: CodeTable | undefined;

/** The process-wide table as this thread sees it; of this thread alone where memory cannot be shared. */
export function codeTable(): CodeTable {
  current ??= new CodeTable(
    heapAvailable()
      ? {
          words: heapWords(),
          root: ROOT_CODE_TABLE,
          alloc: (bytes) => allocBytes(bytes, CODE_TAG),
          free: freeBytes,
          bytesAt,
        }
      : new PlainStorage(),
  );
  return current;
}

const lists = new Map<number, number[]>();

/** One word for a list of codes, whatever its order, so that a record can name any number of codes; 0 for an empty list. */
export function wordOfCodes(codes: Iterable<number>): number {
  const sorted = [...codes].sort((a, b) => a - b);
  return sorted.length === 0 ? 0 : codeTable().idOf(KIND_SHAPE, '', JSON.stringify(sorted)) + 1;
}

/** The codes behind a word other than 0. */
export function codesOfWord(word: number): number[] {
  let codes = lists.get(word);
  if (codes === undefined) {
    codes = JSON.parse(codeTable().entry(word - 1).name) as number[];
    lists.set(word, codes);
  }
  return codes;
}
