/** Counts the words of a text, by their hashes. Frequencies follow Zipf's law, as those of languages do. */
import { randomNumbers } from '../random.js';
import type { Config } from '../workload.js';

const SPACE = 32;
const FIRST_LETTER = 97;

export interface Size {
  readonly words: number;
  readonly vocabulary: number;
}

export interface Text {
  /** Words of small letters, with a space before each and at the end. */
  readonly bytes: Uint8Array;
  /** How often each hash occurs. */
  readonly counts: ReadonlyMap<number, number>;
}

export interface Counts {
  readonly keys: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** A word for each number: at least two letters, which all numbers below 26 ** 5 differ in. */
function wordOf(number: number): number[] {
  const letters = [FIRST_LETTER + (number % 26)];
  for (let rest = number; rest > 0; rest = Math.floor(rest / 26)) letters.push(FIRST_LETTER + (rest % 26));
  return letters;
}

/** FNV-1a of a word. */
export function hashAt(bytes: Uint8Array, start: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; bytes[i] !== 32; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return hash >>> 0;
}

export const config: Config<Size, Text, Counts> = {
  what: 'hashes of words, and a count for each; checked by the counts of the writer of the text',
  sizes: { '2.1M words': { words: 2_100_000, vocabulary: 50_000 } },
  small: { words: 3000, vocabulary: 200 },
  open({ words, vocabulary }, make) {
    const random = randomNumbers(4);
    const spelled = Array.from({ length: vocabulary }, (_, number) => Uint8Array.from([...wordOf(number), SPACE]));
    const hashes = spelled.map((word) => hashAt(word, 0));
    const counts = new Map<number, number>();
    const chosen = Uint32Array.from({ length: words }, () => Math.floor(vocabulary ** random()) - 1);
    const bytes = make(
      Uint8Array,
      chosen.reduce((sum, number) => sum + spelled[number].length, 1),
    );
    bytes[0] = SPACE;
    let at = 1;
    for (const number of chosen) {
      bytes.set(spelled[number], at);
      at += spelled[number].length;
      counts.set(hashes[number], (counts.get(hashes[number]) ?? 0) + 1);
    }
    return { bytes, counts };
  },
  answer({ counts }, { keys, values }) {
    let right = 0;
    for (let i = 0; i < keys.length; i++) if (counts.get(keys[i]) === values[i]) right++;
    return `${right} of ${keys.length}`;
  },
  expected: ({ counts }) => `${counts.size} of ${counts.size}`,
};
