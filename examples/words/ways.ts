/** Ways to count and to sort words, in plain JavaScript on one thread and with Furcate. */
import { dictionaryEncode, type ForkJoinPool, free, parallelHistogram, parallelSort } from 'furcate';
import { CountWords } from './count-words.js';
import { stringOf, wordsOf } from './text.js';
import { readEntries } from './word-table.js';

/** The distinct words, and how often each occurs. */
export interface Counted {
  readonly words: readonly string[];
  readonly counts: ArrayLike<number>;
}

/** Counts as most people would: two lookups for each word. */
export function countByMap(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Counts with one lookup for each word, in a map of counter objects. */
export function countByCounters(words: readonly string[]): Counted {
  const counters = new Map<string, { count: number }>();
  for (const word of words) {
    const counter = counters.get(word);
    if (counter === undefined) counters.set(word, { count: 1 });
    else counter.count++;
  }
  return { words: [...counters.keys()], counts: Array.from(counters.values(), ({ count }) => count) };
}

/** Encodes words as numbers, with one lookup for each word; then all threads count the numbers. */
export async function countByCodes(words: readonly string[], pool: ForkJoinPool): Promise<Counted> {
  const { codes, values } = dictionaryEncode(words);
  const bins = Math.max(1, values.length);
  const counts = await parallelHistogram(codes, { bins, min: 0, max: bins, pool });
  free(codes);
  return { words: values, counts };
}

export const countStringOf = (text: Uint8Array): Map<string, number> => countByMap(wordsOf(stringOf(text)));

/** Counts words in bytes on all threads, and makes strings only of the distinct words, at the end. */
export async function countBytes(text: Uint8Array, pool: ForkJoinPool, partBytes?: number): Promise<Counted> {
  const entries = await pool.invoke(new CountWords(text, 0, text.length, partBytes));
  const counted = readEntries(text, entries);
  free(entries);
  return counted;
}

export const sortStrings = (words: readonly string[]): string[] => words.slice().sort();

/** Encodes words as numbers in the order of the words, sorts the numbers, and decodes them. */
export async function sortByCodes(words: readonly string[], pool: ForkJoinPool): Promise<(string | null)[]> {
  const { codes, decode } = dictionaryEncode(words, { sorted: true });
  await parallelSort(codes, { pool });
  const sorted = decode();
  free(codes);
  return sorted;
}

/** Whether two counts are equal, in any order of words. */
export function sameCounts(expected: ReadonlyMap<string, number>, { words, counts }: Counted): boolean {
  return words.length === expected.size && words.every((word, i) => expected.get(word) === counts[i]);
}

export const countedOf = (counts: ReadonlyMap<string, number>): Counted => ({
  words: [...counts.keys()],
  counts: [...counts.values()],
});
