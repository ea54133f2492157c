/** Sorts numbers that stand for pairs of word and document, and leaves out those that follow an equal one. */
import type { Documents, Index } from './config.js';

export function sequential({ documents, wordsEach, vocabulary, words }: Documents): Index {
  const pairs = new Float64Array(words.length);
  for (let i = 0; i < words.length; i++) pairs[i] = words[i] * documents + Math.floor(i / wordsEach);
  pairs.sort();
  const starts = new Uint32Array(vocabulary + 1);
  const listed = new Uint32Array(words.length);
  let count = 0;
  for (let i = 0; i < pairs.length; i++) {
    if (i > 0 && pairs[i] === pairs[i - 1]) continue;
    const word = Math.floor(pairs[i] / documents);
    starts[word + 1]++;
    listed[count++] = pairs[i] - word * documents;
  }
  for (let word = 0; word < vocabulary; word++) starts[word + 1] += starts[word];
  return { starts, documents: listed.subarray(0, count) };
}
