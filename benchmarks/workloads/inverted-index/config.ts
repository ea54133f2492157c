/** An index of documents: for each word, the documents that have it. */
import { randomNumbers } from '../random.js';
import type { Config } from '../workload.js';

export interface Size {
  readonly documents: number;
  readonly wordsEach: number;
  readonly vocabulary: number;
}

export interface Documents extends Size {
  /** The words of document 0, as numbers, those of document 1, ... */
  readonly words: Uint32Array;
}

export interface Index {
  /** Where the documents of each word begin in `documents`, and at the end their number. */
  readonly starts: Uint32Array;
  /** In ascending order for each word. */
  readonly documents: Uint32Array;
}

/** A sum that depends on each entry and its place. */
const checksum = (entries: Iterable<number>): number => {
  let sum = 0;
  for (const entry of entries) sum = (Math.imul(sum, 31) + entry) | 0;
  return sum;
};

const found = new WeakMap<Documents, number>();

export const config: Config<Size, Documents, Index> = {
  what: 'pairs of word and document, sorted; checked by sets of documents',
  sizes: { '20k documents': { documents: 20_000, wordsEach: 200, vocabulary: 50_000 } },
  small: { documents: 30, wordsEach: 40, vocabulary: 100 },
  open({ documents, wordsEach, vocabulary }, make) {
    const random = randomNumbers(5);
    const words = make(Uint32Array, documents * wordsEach);
    for (let i = 0; i < words.length; i++) words[i] = Math.floor(vocabulary ** random()) - 1;
    return { documents, wordsEach, vocabulary, words };
  },
  answer: (_, { starts, documents }) => checksum(starts) ^ checksum(documents),
  expected(input) {
    if (found.has(input)) return found.get(input);
    const { wordsEach, vocabulary, words } = input;
    const sets = Array.from({ length: vocabulary }, () => new Set<number>());
    words.forEach((word, i) => {
      sets[word].add(Math.floor(i / wordsEach));
    });
    let size = 0;
    const starts = [0, ...sets.map((set) => (size += set.size))];
    const all = sets.flatMap((set) => [...set]);
    found.set(input, checksum(starts) ^ checksum(all));
    return found.get(input);
  },
};
