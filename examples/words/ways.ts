/** Ways to count and to sort words: plain JavaScript on one thread, and Furcate. */
import { dictionaryEncode, type ForkJoinPool, free, parallelHistogram, parallelSort } from 'furcate';
import { CountWords } from './count-words.js';
import { stringOf, wordsOf } from './text.js';
import { readEntries } from './word-table.js';

/** Words, each one once, and how often each one was seen. */
export interface Counted {
  readonly words: readonly string[];
  readonly counts: ArrayLike<number>;
}

/** As most people write it: two lookups a word. */
export function countByMap(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** One lookup a word, of an object that counts. */
export function countByCounters(words: readonly string[]): Counted {
  const counters = new Map<string, { count: number }>();
  for (const word of words) {
    const counter = counters.get(word);
    if (counter === undefined) counters.set(word, { count: 1 });
    else counter.count++;
  }
  return { words: [...counters.keys()], counts: Array.from(counters.values(), ({ count }) => count) };
}

/** One lookup a word, for its code; the codes are counted by all threads. */
export async function countByCodes(words: readonly string[], pool: ForkJoinPool): Promise<Counted> {
  const { codes, values } = dictionaryEncode(words);
  const bins = Math.max(1, values.length);
  const counts = await parallelHistogram(codes, { bins, min: 0, max: bins, pool });
  free(codes);
  return { words: values, counts };
}

export const countStringOf = (text: Uint8Array): Map<string, number> => countByMap(wordsOf(stringOf(text)));

/** All threads count words of the bytes; strings are made of the distinct ones, at the end. */
export async function countBytes(text: Uint8Array, pool: ForkJoinPool, partBytes?: number): Promise<Counted> {
  const entries = await pool.invoke(new CountWords(text, 0, text.length, partBytes));
  const counted = readEntries(text, entries);
  free(entries);
  return counted;
}

export const sortStrings = (words: readonly string[]): string[] => words.slice().sort();

/** Codes in the order of the strings: sorting them sorts the words. */
export async function sortByCodes(words: readonly string[], pool: ForkJoinPool): Promise<(string | null)[]> {
  const { codes, decode } = dictionaryEncode(words, { sorted: true });
  await parallelSort(codes, { pool });
  const sorted = decode();
  free(codes);
  return sorted;
}

/** Whether two ways have counted the same, in any order of words. */
export function sameCounts(expected: ReadonlyMap<string, number>, { words, counts }: Counted): boolean {
  return words.length === expected.size && words.every((word, i) => expected.get(word) === counts[i]);
}

export const countedOf = (counts: ReadonlyMap<string, number>): Counted => ({
  words: [...counts.keys()],
  counts: [...counts.values()],
});
