/**
 * A hash table that counts the words in a text of bytes, without making strings.
 *
 * An entry has four numbers: where the word first begins in the text, its length, its hash and its count. Entries follow each other,
 * so a table crosses threads as one shared array.
 *
 *     | start | length | hash | count | start | length | hash | count | ...
 */

export const ENTRY_FIELDS = 4;
const START = 0;
const LENGTH = 1;
const HASH = 2;
const COUNT = 3;
const LAST_BLANK = 0x20;
const FIRST_SLOTS = 1 << 12; // a power of two, at least twice the number of entries

export class WordTable {
  readonly #text: Uint8Array;
  #slots = new Uint32Array(FIRST_SLOTS); // numbers of entries, from 1; 0 for an empty slot
  #all = new Uint32Array((FIRST_SLOTS / 2) * ENTRY_FIELDS);
  #size = 0;

  constructor(text: Uint8Array) {
    this.#text = text;
  }

  get entries(): Uint32Array {
    return this.#all.subarray(0, this.#size * ENTRY_FIELDS);
  }

  /** Counts the words that begin in text[lo, hi). So each word is counted once, wherever the text is split. */
  addWords(lo: number, hi: number): void {
    const text = this.#text;
    const end = text.length;
    let at = lo;
    if (lo > 0) while (at < hi && text[at - 1] > LAST_BLANK) at++; // skip a word that began before lo
    while (at < hi) {
      let byte = text[at];
      if (byte <= LAST_BLANK) {
        at++;
        continue;
      }
      const start = at;
      let hash = 0;
      do {
        hash = Math.imul(hash ^ byte, 0x01000193);
        at++;
        byte = at < end ? text[at] : LAST_BLANK;
      } while (byte > LAST_BLANK);
      this.#add(start, at - start, (hash ^ (hash >>> 15)) >>> 0, 1);
    }
  }

  /** Adds the words of another table of the same text. */
  addEntries(entries: Uint32Array): void {
    for (let at = 0; at < entries.length; at += ENTRY_FIELDS) {
      this.#add(entries[at + START], entries[at + LENGTH], entries[at + HASH], entries[at + COUNT]);
    }
  }

  #add(start: number, length: number, hash: number, count: number): void {
    const text = this.#text;
    const slots = this.#slots;
    const all = this.#all;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const number = slots[slot];
      if (number === 0) break;
      const at = (number - 1) * ENTRY_FIELDS;
      if (all[at + HASH] === hash && all[at + LENGTH] === length) {
        const other = all[at + START];
        let i = 0;
        while (i < length && text[other + i] === text[start + i]) i++;
        if (i === length) {
          all[at + COUNT] += count;
          return;
        }
      }
      slot = (slot + 1) & mask;
    }
    const at = this.#size * ENTRY_FIELDS;
    all[at + START] = start;
    all[at + LENGTH] = length;
    all[at + HASH] = hash;
    all[at + COUNT] = count;
    this.#size++;
    slots[slot] = this.#size;
    if (this.#size * 2 === slots.length) this.#grow();
  }

  #grow(): void {
    const entries = new Uint32Array(this.#all.length * 2);
    entries.set(this.#all);
    this.#all = entries;
    this.#slots = new Uint32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let number = 1; number <= this.#size; number++) {
      let slot = entries[(number - 1) * ENTRY_FIELDS + HASH] & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number;
    }
  }
}

/** Returns the words of entries as strings, by decoding them all at once, and their counts. */
export function readEntries(text: Uint8Array, entries: Uint32Array): { words: string[]; counts: Uint32Array } {
  const size = entries.length / ENTRY_FIELDS;
  const counts = new Uint32Array(size);
  let bytes = 0;
  for (let i = 0; i < size; i++) bytes += entries[i * ENTRY_FIELDS + LENGTH] + 1;
  const spelled = new Uint8Array(bytes).fill(LAST_BLANK);
  let end = 0;
  for (let i = 0; i < size; i++) {
    const at = i * ENTRY_FIELDS;
    counts[i] = entries[at + COUNT];
    const start = entries[at + START];
    for (let k = 0; k < entries[at + LENGTH]; k++) spelled[end++] = text[start + k];
    end++; // `spelled` is filled with blanks
  }
  const words = size === 0 ? [] : new TextDecoder().decode(spelled.subarray(0, end - 1)).split(' ');
  return { words, counts };
}
