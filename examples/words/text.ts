/**
 * Makes the text whose words are counted; it is the same on every machine. Words have two to ten letters. The r-th most frequent word
 * occurs about 1 / r times as often as the first, as in natural language (Zipf's law).
 */
import { sharedArray } from 'furcate';

const SYLLABLES = ['ba', 'ke', 'lo', 'mi', 'nu', 'ra', 'se', 'ti', 'vo', 'zu', 'st', 'er', 'an', 'or', 'en', 'un'];
const SPACE = 0x20;
const NEWLINE = 0x0a;
const WORDS_PER_LINE = 12;

export interface TextSize {
  /** Words in the text. */
  readonly words: number;
  /** Number of different words to choose from. The rarest may not occur. */
  readonly vocabulary: number;
}

/** Makes the text as UTF-8 in a shared array, with single spaces and newlines between words. */
export function makeText({ words, vocabulary }: TextSize, seed = 1): Uint8Array {
  const spelled = Array.from({ length: vocabulary }, (_, rank) => new TextEncoder().encode(wordOf(rank)));
  const longest = Math.max(...new Set(spelled.map(({ length }) => length)));
  const bytes = sharedArray(Uint8Array, words * (longest + 1));
  const random = randomNumbers(seed);
  const scale = Math.log(vocabulary + 1);
  let end = 0;
  for (let i = 0; i < words; i++) {
    if (i > 0) bytes[end++] = i % WORDS_PER_LINE === 0 ? NEWLINE : SPACE;
    const word = spelled[Math.min(vocabulary, Math.floor(Math.exp(random() * scale))) - 1] as Uint8Array;
    for (const byte of word) bytes[end++] = byte;
  }
  return bytes.subarray(0, end);
}

/** Decodes the text, and splits a string into words. */
export const stringOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
export const wordsOf = (text: string): string[] => text.split(/[ \n]/);

/** The word of a rank: the rank's digits in base 16, as syllables. */
function wordOf(rank: number): string {
  let word = '';
  let digits = rank;
  do {
    word += SYLLABLES[digits % 16];
    digits = Math.floor(digits / 16);
  } while (digits > 0);
  return word;
}

/** Pseudo-random numbers from 0 to 1: mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
