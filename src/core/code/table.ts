/**
 * The code table: it gives each piece of code a number that is the same in every thread of the process; runs on every thread.
 *
 * The table is a lock-free list in shared memory that only grows, so a number in a record stands for the same code for ever.
 *
 * ```
 * root word -> entry 0 -> entry 1 -> ...     entry, note = | next | note | length | text |
 * ```
 *
 * The text of an entry is JSON. Blocks are named by byte offset, 0 for none. A thread fills a block in and then puts it in its place
 * by one compare-and-swap of 0, so a thread that dies halfway leaks a block and blocks nobody. README.md has the rules.
 */

import { compareExchange, load } from '../memory/atomics.js';
import { currentHeap, heapAvailable } from '../memory/heap.js';
import { CODE_TAG, ROOT_CODE_TABLE } from '../memory/heap-layout.js';
import { readText, TEXT_BYTES_PER_UNIT, writeText } from './shared-text.js';
import { PlainStorage, type TableStorage } from './table-storage.js';

/**
 * Kind of an entry: registered code (its `url` is a module), inline source (`url` is the text), a list (in `name`), a kind of job
 * (`url` is its origin), or a part of the library (`url` is its name).
 */
type CodeKind = 'class' | 'function' | 'async function' | 'error' | 'source' | 'shape' | 'value class' | 'job' | 'part';

export interface CodeEntry {
  readonly kind: CodeKind;
  /** The URL of a module, or the source itself. */
  readonly url: string;
  readonly name: string;
}

/** Entries that a table holds; the 65,537th is refused. */
export const MAX_ENTRIES = 65_536;

// Words of a block, which is an entry or a note; the text follows.
/** Entries only: offset of the next entry, 0 for none. */
const B_NEXT = 0;
/** Entries only: offset of the note, 0 for none. */
const B_NOTE = 1;
/** Length of the text (UTF-16 units). */
const B_UNITS = 2;
const BLOCK_WORDS = 3;
/** Offset at which the text begins (bytes). */
const TEXT_AT = BLOCK_WORDS * 4;

/** The table as one thread sees it. It keeps what it has read, because entries do not change. */
export class CodeTable {
  readonly #storage: TableStorage;
  /** The words of the entries read so far, by id. */
  readonly #words: Int32Array[] = [];
  readonly #entries: CodeEntry[] = [];
  /** The ids of these entries, by their texts. */
  readonly #ids = new Map<string, number>();
  readonly #registrations = new WeakMap<object, number>();

  constructor(storage: TableStorage) {
    this.#storage = storage;
  }

  /**
   * The id of this code, appended if it is new.
   *
   * @throws RangeError when the table is full, or the shared heap
   */
  idOf(kind: CodeKind, url: string, name: string): number {
    const text = textOf(kind, url, name);
    return this.#ids.get(text) ?? this.#append(text, kind);
  }

  /** The id of this code; undefined if it has none. */
  find(kind: CodeKind, url: string, name: string): number | undefined {
    this.#readNew();
    return this.#ids.get(textOf(kind, url, name));
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
    if (id >= this.#words.length) this.#readNew();
    const entry = this.#entries[id];
    if (entry === undefined) throw new RangeError(`furcate: the code table has no entry ${id}.`);
    return entry;
  }

  /**
   * Gives an entry a note: the text of a part, or that a warning was printed. The first note stays.
   *
   * @returns whether this note is the first
   */
  annotate(id: number, note: string): boolean {
    this.entry(id);
    const offset = this.#write(note);
    const before = compareExchange(this.#words[id] as Int32Array, B_NOTE, 0, offset | 0); // T2 publishes the note
    if (before !== 0) this.#storage.freeBytes(offset);
    return before === 0;
  }

  /** The note of an entry, from whichever thread. */
  noteOf(id: number): string | undefined {
    this.entry(id);
    const offset = load(this.#words[id] as Int32Array, B_NOTE) >>> 0; // T2
    return offset === 0 ? undefined : this.#textOf(offset, this.#wordsAt(offset));
  }

  /** True for the first caller in the process, which then prints the warning that `about` names. */
  claimWarning(about: string): boolean {
    return this.annotate(this.idOf('shape', '', `warned of ${about}`), '');
  }

  #append(text: string, kind: CodeKind): number {
    let own = 0;
    for (;;) {
      this.#readNew(); // to the end of the list, so that an equal entry of another thread's is found
      const id = this.#ids.get(text);
      if (id !== undefined) {
        if (own !== 0) this.#storage.freeBytes(own); // another thread was faster
        return id;
      }
      if (this.#words.length >= MAX_ENTRIES) throw tableFull(kind);
      if (own === 0) own = this.#write(text);
      const [words, at] = this.#end();
      if (compareExchange(words, at, 0, own | 0) === 0) own = 0; // T1 publishes the entry
    }
  }

  /** Reads the entries that this thread has not seen. */
  #readNew(): void {
    for (;;) {
      const [last, at] = this.#end();
      const offset = load(last, at) >>> 0; // T1
      if (offset === 0) return;
      const words = this.#wordsAt(offset);
      const text = this.#textOf(offset, words);
      const [kind, url, name] = JSON.parse(text) as [CodeKind, string, string];
      this.#ids.set(text, this.#words.length);
      this.#words.push(words);
      this.#entries.push({ kind, url, name });
    }
  }

  /** The word that names the entry after those that this thread has read. */
  #end(): readonly [words: Int32Array, at: number] {
    const last = this.#words.at(-1);
    return last === undefined ? [this.#storage.root, ROOT_CODE_TABLE] : [last, B_NEXT];
  }

  /** Writes a block that nobody knows yet. */
  #write(text: string): number {
    const offset = this.#storage.allocBytes(TEXT_AT + text.length * TEXT_BYTES_PER_UNIT, CODE_TAG, 'code for workers');
    const words = this.#wordsAt(offset);
    words[B_NEXT] = 0; // plain, all of them: not public yet
    words[B_NOTE] = 0;
    words[B_UNITS] = text.length;
    writeText(this.#bytesAt(offset, words), TEXT_AT, text);
    return offset;
  }

  #textOf(offset: number, words: Int32Array): string {
    return readText(this.#bytesAt(offset, words), TEXT_AT, words[B_UNITS] as number); // plain: immutable once published
  }

  #bytesAt(offset: number, words: Int32Array): Uint8Array {
    return this.#storage.bytesAt(offset, TEXT_AT + (words[B_UNITS] as number) * TEXT_BYTES_PER_UNIT);
  }

  #wordsAt(offset: number): Int32Array {
    const bytes = this.#storage.bytesAt(offset, TEXT_AT);
    return new Int32Array(bytes.buffer, bytes.byteOffset, BLOCK_WORDS);
  }
}

const textOf = (kind: CodeKind, url: string, name: string): string => JSON.stringify([kind, url, name]);

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
  current ??= new CodeTable(heapAvailable() ? currentHeap() : new PlainStorage());
  return current;
}

/** The id of a list of names or numbers, so that one word of a record can name many. */
export function idOfList(list: readonly (string | number)[]): number {
  const text = JSON.stringify(list);
  let id = idsOfLists.get(text);
  if (id === undefined) {
    id = codeTable().idOf('shape', '', text);
    idsOfLists.set(text, id);
  }
  return id;
}

const idsOfLists = new Map<string, number>();
const lists = new Map<number, readonly (string | number)[]>();

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
