/**
 * The code table: it gives each piece of code a number that is the same in every thread of the process; runs on every thread.
 *
 * The table is a lock-free list in shared memory that only grows, so a number in a record stands for the same code for ever.
 *
 * ```
 * root word -> entry 0 -> entry 1 -> ...     entry = | next | kind hash place# name# note | place | name | UTF-16
 * ```
 *
 * Blocks are named by byte offset, 0 for none. A thread fills a block in and then puts it in its place by one
 * compare-and-swap of 0, so a thread that dies halfway leaks a block and blocks nobody. README.md has the rules.
 */

import { compareExchange, load } from '../memory/atomics.js';
import { allocBytes, bytesAt, freeBytes, heapAvailable, heapWords, ROOT_CODE_TABLE } from '../memory/heap.js';
import { CODE_TAG } from '../memory/heap-layout.js';
import { readText, TEXT_BYTES_PER_UNIT, writeText } from './shared-text.js';
import { PlainStorage, type TableStorage } from './table-storage.js';

/**
 * What an entry is: registered code (place is a URL), inline source (place), a list (name), a kind of
 * job (place is the part of the library that has it), or a part (place). In the order of their numbers in memory.
 */
const KINDS = [
  'class',
  'function',
  'error',
  'source',
  'shape',
  'value class',
  'job',
  'part',
  'async function',
] as const;
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

// Words of an entry; the texts follow.
/** Offset of the next entry, 0 for none. */
const E_NEXT = 0;
const E_KIND = 1;
const E_HASH = 2;
const E_PLACE_UNITS = 3;
const E_NAME_UNITS = 4;
/** Offset of the note, 0 for none. */
const E_NOTE = 5;
const ENTRY_WORDS = 6;

const WORD_BYTES = 4;
/** Where the texts of an entry begin (bytes). */
const TEXT_AT = ENTRY_WORDS * WORD_BYTES;

/** FNV-1a over the UTF-16 units of all three. */
export function hashOf(kind: number, url: string, name: string): number {
  let hash = 0x811c9dc5 ^ kind;
  for (const text of [url, name]) {
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    hash = Math.imul(hash ^ 0x10000, 0x01000193); // where the first text ends counts
  }
  return hash;
}

/** The table as one thread sees it. It keeps what it has read, because entries do not change. */
export class CodeTable {
  readonly #storage: TableStorage;
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

  /** As `idOf`, for entries of the registry, which are looked up at every publication: each is looked up once. */
  idOfRegistration(registration: CodeEntry): number {
    let id = this.#registrations.get(registration);
    if (id === undefined) {
      id = this.idOf(registration.kind, registration.url, registration.name);
      this.#registrations.set(registration, id);
    }
    return id;
  }

  /** The entry of an id. */
  entry(id: number): CodeEntry {
    const known = this.#entries[id];
    if (known !== undefined) return known;
    if (id >= this.#words.length) this.#readNew();
    const words = this.#words[id];
    if (words === undefined) throw new RangeError(`furcate: the code table has no entry ${id}.`);
    return this.#decode(id, words);
  }

  /**
   * Gives an entry a note: why workers cannot load the code, or the text of a part. The first note stays.
   *
   * @returns whether this note is the first
   */
  annotate(id: number, note: string): boolean {
    this.entry(id);
    const bytes = WORD_BYTES + note.length * TEXT_BYTES_PER_UNIT;
    const offset = this.#storage.alloc(bytes);
    this.#wordsAt(offset, 1)[0] = note.length; // plain: not public yet
    writeText(this.#storage.bytesAt(offset, bytes), WORD_BYTES, note);
    const before = compareExchange(this.#words[id] as Int32Array, E_NOTE, 0, offset | 0); // T2 publishes the note
    if (before !== 0) this.#storage.free(offset);
    return before === 0;
  }

  /** The note of an entry, from whichever thread. */
  noteOf(id: number): string | undefined {
    this.entry(id);
    const offset = load(this.#words[id] as Int32Array, E_NOTE) >>> 0; // T2
    if (offset === 0) return undefined;
    const length = this.#wordsAt(offset, 1)[0] as number;
    const bytes = WORD_BYTES + length * TEXT_BYTES_PER_UNIT;
    return readText(this.#storage.bytesAt(offset, bytes), WORD_BYTES, length);
  }

  /** True for the first caller in the process, which then prints the warning about main modules. */
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

  /** Reads to the end of the list first, so that an equal entry of another thread's is found. */
  #append(hash: number, kind: CodeKind, url: string, name: string): number {
    let own = 0;
    for (;;) {
      this.#readNew();
      const known = this.#find(hash, kind, url, name);
      if (known >= 0) {
        if (own !== 0) this.#storage.free(own); // another thread was faster
        return known;
      }
      const id = this.#words.length;
      if (id >= MAX_ENTRIES) throw tableFull(kind);
      if (own === 0) own = this.#write(hash, kind, url, name);
      const [words, at] = this.#end();
      if (compareExchange(words, at, 0, own | 0) === 0) return id; // T1 publishes the entry
    }
  }

  /** Takes note of the entries that this thread has not seen. */
  #readNew(): void {
    for (;;) {
      const [last, at] = this.#end();
      const offset = load(last, at) >>> 0; // T1
      if (offset === 0) return;
      const words = this.#wordsAt(offset, ENTRY_WORDS);
      const hash = words[E_HASH] as number; // plain: immutable once published
      const ids = this.#byHash.get(hash);
      if (ids === undefined) this.#byHash.set(hash, [this.#words.length]);
      else ids.push(this.#words.length);
      this.#words.push(words);
      this.#offsets.push(offset);
    }
  }

  /** The word that names the entry after those that this thread has read. */
  #end(): readonly [words: Int32Array, at: number] {
    const last = this.#words.at(-1);
    return last === undefined ? [this.#storage.words, this.#storage.root] : [last, E_NEXT];
  }

  #write(hash: number, kind: CodeKind, url: string, name: string): number {
    const bytes = TEXT_AT + (url.length + name.length) * TEXT_BYTES_PER_UNIT;
    const offset = this.#storage.alloc(bytes);
    const block = this.#storage.bytesAt(offset, bytes);
    const words = new Int32Array(block.buffer, block.byteOffset, ENTRY_WORDS);
    words[E_NEXT] = 0; // plain, all of them: not public yet
    words[E_KIND] = KINDS.indexOf(kind);
    words[E_HASH] = hash;
    words[E_PLACE_UNITS] = url.length;
    words[E_NAME_UNITS] = name.length;
    words[E_NOTE] = 0;
    writeText(block, TEXT_AT, url + name);
    return offset;
  }

  #decode(id: number, words: Int32Array): CodeEntry {
    const [, kind, , urlUnits, nameUnits] = words as unknown as [number, number, number, number, number]; // plain: immutable
    const units = urlUnits + nameUnits;
    const block = this.#storage.bytesAt(this.#offsets[id] as number, TEXT_AT + units * TEXT_BYTES_PER_UNIT);
    const text = readText(block, TEXT_AT, units);
    const entry = { kind: KINDS[kind] as CodeKind, url: text.slice(0, urlUnits), name: text.slice(urlUnits) };
    this.#entries[id] = entry;
    return entry;
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

/** The table of the process as this thread sees it. If memory cannot be shared, the table is this thread's alone. */
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

const lists = new Map<number, readonly unknown[]>();

/** The id of a list of names or numbers, so that one word of a record can name many. */
export const idOfList = (list: readonly (string | number)[]): number =>
  codeTable().idOf(KIND_SHAPE, '', JSON.stringify(list));

/** The list behind an id. */
export function listOf<T extends string | number>(id: number): readonly T[] {
  let list = lists.get(id);
  if (list === undefined) {
    list = JSON.parse(codeTable().entry(id).name) as T[];
    lists.set(id, list);
  }
  return list as readonly T[];
}

/** One word for a list of codes, whatever its order; 0 for an empty list. */
export function wordOfCodes(codes: Iterable<number>): number {
  const sorted = [...codes].sort((a, b) => a - b);
  return sorted.length === 0 ? 0 : idOfList(sorted) + 1;
}

/** The codes behind a word other than 0. */
export const codesOfWord = (word: number): readonly number[] => listOf<number>(word - 1);
